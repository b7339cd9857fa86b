// Reads manifests and fails on a field that Kubernetes does not have.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	fail(err)
	for _, manifest := range strings.Split(string(text), "\n---\n") {
		var about struct{ APIVersion, Kind string }
		fail(yaml.Unmarshal([]byte(manifest), &about))
		kinds := map[string]any{
			"apps/v1 StatefulSet":          &appsv1.StatefulSet{},
			"v1 Service":                   &corev1.Service{},
			"networking.k8s.io/v1 Ingress": &networkingv1.Ingress{},
		}
		kind, ok := kinds[about.APIVersion+" "+about.Kind]
		if !ok {
			fail(fmt.Errorf("unknown kind %q", about))
		}
		fail(yaml.UnmarshalStrict([]byte(manifest), kind))
	}
}

func fail(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
