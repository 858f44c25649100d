package main

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// schemaURL is the address under which Helm compiles a schema; its errors are read without it.
const schemaURL = "file:///values.schema.json"

// valuesSchema is the compiled schema of a chart without dependencies. It is compiled once: Helm would do so for every release.
type valuesSchema struct {
	name     string
	compiled *jsonschema.Schema
}

// nothing refuses what a schema refers to outside of itself. The controller refuses such charts before.
type nothing struct{}

func (nothing) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema must not refer to %s", url)
}

// compile returns nil where Helm has to validate by itself: a chart has dependencies, no schema, or one that does not compile.
func compile(found *chart.Chart) *valuesSchema {
	if found.Schema == nil || len(found.Dependencies()) > 0 || len(found.Metadata.Dependencies) > 0 {
		return nil
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(found.Schema))
	if err != nil {
		return nil
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nothing{})
	if err := compiler.AddResource(schemaURL, read); err != nil {
		return nil
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return nil
	}
	return &valuesSchema{name: found.Name(), compiled: compiled}
}

// validate checks values, with the chart's own merged in, as Helm does and in its words.
func (s *valuesSchema) validate(found *chart.Chart, values map[string]any) error {
	merged, err := util.CoalesceValues(found, values)
	if err != nil {
		return err
	}
	if err := s.compiled.Validate(merged.AsMap()); err != nil {
		text := bytes.TrimPrefix([]byte(err.Error()), []byte("jsonschema validation failed with '"+schemaURL+"#'\n"))
		return fmt.Errorf("values don't meet the specifications of the schema(s) in the following chart(s):\n%s:\n%s\n", s.name, text)
	}
	return nil
}
