{{- /* No genCA here: cert-manager makes the certificate. */}}
# A lookup in a comment of YAML is no call either.
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  annotations: { since: {{ date "2006-01-02" .Values.since }} }
  name: {{ include "gate.genCA" . }}
spec:
  secretName: gate-tls
  dnsNames: [gate.{{ .Release.Namespace }}.svc]
  issuerRef: { name: {{ .Values.lookup }} }
