// Command whatiftruth checks rsswatch whatif against the truth: it builds or
// fetches pairs of programs for both word sizes, runs both to the same stage
// and compares. whatif-truth.sh builds it and starts it.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
