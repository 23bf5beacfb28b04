module berth/tests/kubernetes/faultproxy

go 1.26.0
