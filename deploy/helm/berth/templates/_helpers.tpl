{{- define "berth.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-berth" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "berth.lease" -}}
{{- if eq .Values.mode "replace" }}kube-scheduler{{ else }}{{ include "berth.name" . }}{{ end }}
{{- end }}

{{- define "berth.replicas" -}}
{{- if eq .Values.mode "shadow" }}1{{ else }}{{ .Values.replicas }}{{ end }}
{{- end }}

{{- define "berth.config" -}}
{{- if .Values.config -}}
{{ toYaml .Values.config }}
{{- else -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
profiles:
  - schedulerName: {{ ternary .Values.schedulerName "default-scheduler" (eq .Values.mode "second-scheduler") }}
{{- end }}
{{- end }}

{{- define "berth.subjects" -}}
- kind: ServiceAccount
  name: {{ include "berth.name" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}
