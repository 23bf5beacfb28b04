// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	pb "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// An object as it is sent: encoded before anything is measured.
type object struct {
	name       string
	collection string
	body       []byte
}

func (o *object) path() string { return o.collection + "/" + o.name }

var (
	kinds   = newScheme()
	encoder = pb.NewSerializer(kinds, kinds)
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1.AddToScheme, storagev1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

// readSet reads objects from a file of JSON documents, one per line.
func readSet(file string) (*objectSet, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var objects []object
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		one, err := encode(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, len(objects)+1, err)
		}
		objects = append(objects, one)
	}
	return newObjectSet(objects), lines.Err()
}

func encode(document []byte) (object, error) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(document, &kind); err != nil {
		return object{}, err
	}
	typed, err := kinds.New(kind.GroupVersionKind())
	if err != nil {
		return object{}, err
	}
	if err := json.Unmarshal(document, typed); err != nil {
		return object{}, err
	}
	return encodeTyped(typed)
}

// encodeTyped needs kind and version in the object.
func encodeTyped(typed runtime.Object) (object, error) {
	about, err := meta.Accessor(typed)
	if err != nil {
		return object{}, err
	}
	if about.GetName() == "" {
		return object{}, errors.New("an object without a name")
	}
	var body bytes.Buffer
	if err := encoder.Encode(typed, &body); err != nil {
		return object{}, err
	}
	return object{name: about.GetName(), collection: collection(typed, about.GetNamespace()), body: body.Bytes()}, nil
}

func collection(typed runtime.Object, namespace string) string {
	kind := typed.GetObjectKind().GroupVersionKind()
	parts := []string{"", "api", kind.Version}
	if kind.Group != "" {
		parts = []string{"", "apis", kind.Group, kind.Version}
	}
	if namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return strings.Join(append(parts, plural.Resource), "/")
}
