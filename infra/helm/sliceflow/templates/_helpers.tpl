{{- define "sliceflow.name" -}}
{{- $chart := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $chart .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $chart | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- /* Of what belongs to no namespace: another namespace may have a release of the same name. */ -}}
{{- define "sliceflow.clusterName" -}}
{{- $name := include "sliceflow.name" . }}
{{- if ne $name .Release.Namespace }}{{ .Release.Namespace }}:{{ end }}{{ $name }}-hub
{{- end }}

{{- /* A version as a label may have it: build metadata begin with "+". */ -}}
{{- define "sliceflow.labelValue" -}}
{{ . | replace "+" "_" | trunc 63 | regexFind "^.*[A-Za-z0-9]" }}
{{- end }}

{{- define "sliceflow.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ quote .Release.Name }}
{{- end }}

{{- define "sliceflow.labels" -}}
{{- $own := dict "app.kubernetes.io/managed-by" .Release.Service }}
{{- $_ := set $own "app.kubernetes.io/version" (include "sliceflow.labelValue" .Chart.AppVersion) }}
{{- $_ := set $own "helm.sh/chart" (include "sliceflow.labelValue" (printf "%s-%s" .Chart.Name .Chart.Version)) }}
{{- merge (include "sliceflow.selectorLabels" . | fromYaml) $own .Values.commonLabels | toYaml }}
{{- end }}

{{- define "sliceflow.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion | replace "+" "_" }}{{ end }}
{{- end }}
{{- end }}

{{- /* A setting as text. JSON, as a large number would become 1e+06 otherwise; and on and off are booleans in Helm's YAML. */ -}}
{{- define "sliceflow.setting" -}}
{{- if and (has .name (list "recording" "traces")) (kindIs "bool" .value) }}{{ ternary "on" "off" .value | quote }}
{{- else if kindIs "string" .value }}{{ quote .value }}
{{- else }}{{ toJson .value | quote }}
{{- end }}
{{- end }}

{{- /* Ports that the pod connects to, without repetition. */ -}}
{{- define "sliceflow.egressPorts" -}}
{{- $ports := list }}
{{- range .Values.networkPolicy.egressPorts }}{{ $ports = append $ports (int .) }}{{ end }}
{{- range list .Values.queue.url .Values.queue.sweepUrl (toString .Values.settings.traces) }}
{{- $port := regexFind ":[0-9]+(/|$)" . | trimAll ":/" | default (ternary "80" "" (hasPrefix "http://" .)) }}
{{- if $port }}{{ $ports = append $ports (int $port) }}{{ end }}
{{- end }}
{{- $ports | uniq | toJson }}
{{- end }}

{{- /* What the schema of the values cannot say in words. */ -}}
{{- define "sliceflow.check" -}}
{{- with .Values }}
{{- if not .image.repository }}{{ fail "image.repository: name where your image is, such as registry.example.org/sliceflow; build it from dist/image, as nothing is published" }}{{ end }}
{{- if not (or .hub.managed .kubeconfig.secret) }}{{ fail "no cluster is named: set hub.managed to true, or name a Secret by kubeconfig.secret" }}{{ end }}
{{- if and .kubeconfig.secret (not .kubeconfig.contexts) }}{{ fail (printf "kubeconfig.contexts: name the contexts to follow of the kubeconfig in Secret %s" .kubeconfig.secret) }}{{ end }}
{{- if and .kubeconfig.contexts (not .kubeconfig.secret) }}{{ fail "kubeconfig.secret: name the Secret whose kubeconfig has the contexts of kubeconfig.contexts" }}{{ end }}
{{- if and .hub.managed (has .hub.name .kubeconfig.contexts) }}{{ fail (printf "kubeconfig.contexts: %s is the name of the hub; choose another hub.name" .hub.name) }}{{ end }}
{{- if and .fleet.enabled (lt (add (ternary 1 0 .hub.managed) (len .kubeconfig.contexts)) 2) }}{{ fail "fleet.enabled: Services over several clusters need two of them; name further ones by kubeconfig.secret and kubeconfig.contexts" }}{{ end }}
{{- if and (eq .queue.url "embedded") .queue.sweepUrl }}{{ fail "queue.sweepUrl: needs queue.url, as the embedded queue has a sweep lane of its own" }}{{ end }}
{{- if and (eq .queue.url "embedded") .settings.stateDir }}{{ fail "settings.stateDir: needs queue.url, as the embedded queue forgets with the process what it had accepted" }}{{ end }}
{{- if and .settings.recording (ne (toString .settings.recording) "off") (not .record) }}{{ fail "record: name the file to record to, below /var/lib/sliceflow/, as settings.recording is on" }}{{ end }}
{{- range $name, $file := dict "settings.stateDir" .settings.stateDir "record" .record }}
{{- if and $file (not (and $.Values.volume.claim (hasPrefix "/var/lib/sliceflow/" $file))) }}{{ fail (printf "%s: name a path below /var/lib/sliceflow/, and by volume.claim the claim that is there; all else is read-only" $name) }}{{ end }}
{{- end }}
{{- if regexMatch "^(127\\.|::1$)" .metrics.address }}{{ fail (printf "metrics.address: the kubelet asks for it, too, and would end a pod again and again that listens on %s only; networkPolicy.metricsFrom says who may read metrics" .metrics.address) }}{{ end }}
{{- if and .serviceMonitor.enabled .networkPolicy.enabled (not .networkPolicy.metricsFrom) }}{{ fail "networkPolicy.metricsFrom: say where Prometheus is, such as [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]; nobody may read metrics otherwise" }}{{ end }}
{{- end }}
{{- end }}
