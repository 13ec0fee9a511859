package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

func completionCommand(s Streams) *cli.Command {
	shells := map[string]func(io.Writer, *cli.App){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	names := []string{"bash", "zsh", "fish"}
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands, flags and labs: " + strings.Join(names, ", "),
		ArgsUsage: "SHELL",
		Description: "bash:  source <(labgrade completion bash)\n" +
			"zsh:   source <(labgrade completion zsh)\n" +
			"fish:  labgrade completion fish | source",
		Action: func(c *cli.Context) error {
			write := shells[c.Args().First()]
			if c.NArg() != 1 || write == nil {
				return Usagef("completion needs a shell: %s", strings.Join(names, ", "))
			}
			write(s.Out, c.App)
			return nil
		},
	}
}

// word is a command with what may stand behind it.
type word struct {
	path  string // "lab test"
	words []string
	// lab: the first argument is a lab.
	lab bool
}

// wordsOf lists all commands and subcommands.
func completionWords(app *cli.App) []word {
	top := word{}
	var out []word
	for _, c := range app.Commands {
		if c.Hidden {
			continue
		}
		top.words = append(top.words, c.Name)
		w := word{path: c.Name, words: flagWords(c.Flags), lab: strings.HasPrefix(c.ArgsUsage, "LAB")}
		for _, sub := range c.Subcommands {
			w.words = append(w.words, sub.Name)
			out = append(out, word{path: c.Name + " " + sub.Name, words: flagWords(sub.Flags), lab: strings.HasPrefix(sub.ArgsUsage, "LAB")})
		}
		out = append(out, w)
	}
	return append([]word{top}, out...)
}

func flagWords(flags []cli.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, "--"+f.Names()[0])
	}
	slices.Sort(out)
	return out
}

func bashCompletion(w io.Writer, app *cli.App) {
	fmt.Fprint(w, `# bash completion of labgrade
_labgrade() {
  local cur=${COMP_WORDS[COMP_CWORD]} path="" w words="" labs=""
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$w" in -*) continue ;; esac
    case "${path:+$path }$w" in
`)
	list := completionWords(app)
	var paths []string
	for _, x := range list[1:] {
		paths = append(paths, `"`+x.path+`"`)
	}
	fmt.Fprintf(w, "      %s) path=\"${path:+$path }$w\" ;;\n    esac\n  done\n  case \"$path\" in\n", strings.Join(paths, "|"))
	for _, x := range list {
		labs := ""
		if x.lab {
			labs = " labs=yes"
		}
		fmt.Fprintf(w, "    %q) words=%q%s ;;\n", x.path, strings.Join(x.words, " "), labs)
	}
	fmt.Fprint(w, `  esac
  if [ -n "$labs" ]; then words="$words $(labgrade lab list 2>/dev/null | cut -d' ' -f1)"; fi
  COMPREPLY=( $(compgen -W "$words" -- "$cur") )
  if [ -n "$path" ]; then COMPREPLY+=( $(compgen -f -- "$cur") ); fi
}
complete -o filenames -F _labgrade labgrade
`)
}

// zshCompletion lets zsh run the script of bash.
func zshCompletion(w io.Writer, app *cli.App) {
	fmt.Fprint(w, "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n")
	bashCompletion(w, app)
}

func fishCompletion(w io.Writer, app *cli.App) {
	fmt.Fprint(w, "# fish completion of labgrade\n")
	text := func(s string) string {
		return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
	}
	flags := func(cond string, list []cli.Flag) {
		for _, f := range list {
			usage := ""
			if d, ok := f.(cli.DocGenerationFlag); ok {
				usage = strings.ReplaceAll(d.GetUsage(), "`", "")
			}
			fmt.Fprintf(w, "complete -c labgrade -n %s -l %s -d %s\n", text(cond), f.Names()[0], text(usage))
		}
	}
	for _, c := range app.Commands {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(w, "complete -c labgrade -f -n __fish_use_subcommand -a %s -d %s\n", c.Name, text(c.Usage))
		seen := "__fish_seen_subcommand_from " + c.Name
		flags(seen, c.Flags)
		for _, sub := range c.Subcommands {
			fmt.Fprintf(w, "complete -c labgrade -n %s -a %s -d %s\n", text(seen), sub.Name, text(sub.Usage))
			flags(seen+"; and __fish_seen_subcommand_from "+sub.Name, sub.Flags)
		}
	}
}
