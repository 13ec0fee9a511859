module github.com/labgrade/labgrade

go 1.26
