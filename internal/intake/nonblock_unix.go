//go:build unix

package intake

import "syscall"

const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY
