module wordsize/examples

go 1.26.7

require golang.org/x/sys v0.50.0
