// Program upstream answers what k8s.io/endpointslice would do: NDJSON cases on stdin, one line of NDJSON for each on stdout.
//
//	upstream         the distinct outcomes of `runs` reconciles (default 1) of each case
//	upstream bench   how long one reconcile of each case takes
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 0:
		return answer(func(c *testCase) (any, error) { return outcomesOf(c) })
	case len(args) == 1 && args[0] == "bench":
		return answer(func(c *testCase) (any, error) { return measure(c) })
	}
	return fmt.Errorf("unknown arguments %q: there is only `bench`", args)
}

// answer writes the answer to a case before it reads the next one, so that a program may ask case by case.
func answer(question func(*testCase) (any, error)) error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading stdin: %w", err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := answerLine(line, question, out); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
		if err != nil {
			return nil
		}
	}
}

func answerLine(line []byte, question func(*testCase) (any, error), out *json.Encoder) error {
	c, err := parseCase(line)
	if err != nil {
		return err
	}
	result, err := question(c)
	if err != nil {
		return fmt.Errorf("case %s: %w", c.ID, err)
	}
	return out.Encode(result)
}
