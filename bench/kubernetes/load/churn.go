// SPDX-License-Identifier: Apache-2.0

package main

import (
	"log"
	"time"
)

// churn deletes one object of each set and creates it anew, then pauses, and goes on with the next ones. All objects
// must be there.
func churn(api *server, sets []*objectSet, pause time.Duration) {
	for step := 0; ; step++ {
		for _, set := range sets {
			one := &set.objects[step%len(set.objects)]
			err := api.remove(one.path())
			if err == nil {
				err = api.do("POST", one.collection, protobuf, one.body)
			}
			if err != nil {
				log.Printf("churn: %v", err)
			}
		}
		time.Sleep(pause)
	}
}
