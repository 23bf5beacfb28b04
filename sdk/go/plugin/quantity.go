// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// Quantity is an amount of a resource as Kubernetes writes it: "500m", "16Gi", "4".
type Quantity string

var multiples = map[string]*big.Rat{
	"n": big.NewRat(1, 1e9), "u": big.NewRat(1, 1e6), "m": big.NewRat(1, 1e3), "": big.NewRat(1, 1),
	"k": big.NewRat(1e3, 1), "M": big.NewRat(1e6, 1), "G": big.NewRat(1e9, 1), "T": big.NewRat(1e12, 1),
	"P": big.NewRat(1e15, 1), "E": big.NewRat(1e18, 1),
	"Ki": big.NewRat(1<<10, 1), "Mi": big.NewRat(1<<20, 1), "Gi": big.NewRat(1<<30, 1), "Ti": big.NewRat(1<<40, 1),
	"Pi": big.NewRat(1<<50, 1), "Ei": big.NewRat(1<<60, 1),
}

// UnmarshalJSON takes numbers as well, as Kubernetes does.
func (q *Quantity) UnmarshalJSON(text []byte) error {
	var read string
	if err := json.Unmarshal(text, &read); err != nil {
		read = string(text)
	}
	*q = Quantity(read)
	return nil
}

func (q Quantity) rat() (*big.Rat, error) {
	// A number first as a whole: an exponent is no suffix.
	if value, ok := decimal(string(q)); ok {
		return value, nil
	}
	number := strings.TrimRight(string(q), "numkKMGTPEi")
	multiple, isKnown := multiples[string(q)[len(number):]]
	if value, ok := decimal(number); ok && isKnown {
		return value.Mul(value, multiple), nil
	}
	return nil, fmt.Errorf("%q is no quantity", string(q))
}

// decimal reads no more of what Go takes for a number than Kubernetes does.
func decimal(text string) (*big.Rat, bool) {
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// Value is the amount as a whole number, rounded up.
func (q Quantity) Value() (int64, error) { return q.scaled(1) }

// MilliValue is a thousand times the amount, rounded up.
func (q Quantity) MilliValue() (int64, error) { return q.scaled(1000) }

func (q Quantity) scaled(by int64) (int64, error) {
	value, err := q.rat()
	if err != nil {
		return 0, err
	}
	value.Mul(value, big.NewRat(by, 1))
	whole, rest := new(big.Int).QuoRem(value.Num(), value.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() {
		return 0, fmt.Errorf("%q is too large", string(q))
	}
	return whole.Int64(), nil
}
