// Checks the dashboard on its standard input by the schema of Grafana's own SDK: no field that Grafana does not
// know, none that is missing, and the same of each panel's options and queries. Otherwise it says what is wrong.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	if err := check(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	plugins.RegisterDefaultPlugins()
	var read dashboard.Dashboard
	// The SDK returns an empty list of errors, which is not nil, where there is none.
	var problems cog.BuildErrors
	if err := read.UnmarshalJSONStrict(text); err != nil && (!errors.As(err, &problems) || len(problems) > 0) {
		return err
	}
	return read.Validate()
}
