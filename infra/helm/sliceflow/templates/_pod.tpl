{{- /* The flags that name the clusters, of `run` and of other commands in the pod. */ -}}
{{- define "sliceflow.clusters" -}}
{{- with .Values -}}
{{- if .hub.managed }}
- --kubeconfig=/etc/sliceflow/hub/config
- --context={{ .hub.name }}
{{- end }}
{{- if .kubeconfig.secret }}
- --kubeconfig=/etc/sliceflow/clusters/config
{{- range .kubeconfig.contexts }}
- {{ printf "--context=%s" . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The command line of `run`, its settings apart, which are variables. */ -}}
{{- define "sliceflow.args" -}}
{{- with .Values -}}
- run
- --log-format={{ .logFormat }}
- --metrics-port={{ .metrics.port }}
- {{ printf "--metrics-address=%s" .metrics.address | quote }}
{{- include "sliceflow.clusters" $ }}
{{- if ne .queue.url "embedded" }}
- {{ printf "--queue=%s" .queue.url | quote }}
{{- end }}
{{- with .queue.sweepUrl }}
- {{ printf "--sweep-queue=%s" . | quote }}
{{- end }}
{{- with .record }}
- {{ printf "--record=%s" . | quote }}
{{- end }}
{{- if .fleet.enabled }}
- --fleet
{{- end }}
{{- end }}
{{- end }}

{{- /* The command line of the checks before it. */ -}}
{{- define "sliceflow.preflightArgs" -}}
- preflight
- --ignore-warnings
- --fail-on=all
{{- include "sliceflow.clusters" . }}
{{- if .Values.fleet.enabled }}
- --fleet
{{- end }}
{{- end }}

{{- /* Further variables, and the settings. */ -}}
{{- define "sliceflow.env" -}}
{{- with .Values.extraEnv }}
{{- toYaml . }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: SLICEFLOW_{{ snakecase $name | upper }}
  value: {{ include "sliceflow.setting" (dict "name" $name "value" $value) }}
{{- end }}
{{- end }}

{{- define "sliceflow.mounts" -}}
{{- with .Values }}
{{- if .hub.managed }}
- { name: hub, mountPath: /etc/sliceflow/hub, readOnly: true }
{{- end }}
{{- if .kubeconfig.secret }}
- { name: clusters, mountPath: /etc/sliceflow/clusters, readOnly: true }
{{- end }}
{{- if .kubeconfig.tokens }}
- { name: tokens, mountPath: /var/run/secrets/sliceflow, readOnly: true }
{{- end }}
{{- if .volume.claim }}
- { name: state, mountPath: /var/lib/sliceflow }
{{- end }}
{{- with .extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sliceflow.volumes" -}}
{{- $name := include "sliceflow.name" . }}
{{- with .Values }}
{{- if .hub.managed }}
- name: hub
  configMap: { name: {{ $name }}-hub }
{{- end }}
{{- with .kubeconfig }}
{{- if .secret }}
- name: clusters
  secret:
    secretName: {{ quote .secret }}
    items: [{ key: {{ .key | quote }}, path: config }]
{{- end }}
{{- if .tokens }}
- name: tokens
  projected:
    sources:
      {{- range .tokens }}
      - serviceAccountToken:
          path: {{ .name | quote }}
          audience: {{ .audience | quote }}
          expirationSeconds: {{ .expirationSeconds | default 3600 }}
      {{- end }}
{{- end }}
{{- end }}
{{- with .volume.claim }}
- name: state
  persistentVolumeClaim: { claimName: {{ quote . }} }
{{- end }}
{{- with .extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}
