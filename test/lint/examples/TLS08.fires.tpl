{{- $ca := genCA "gate-ca" 3650 }}
{{- $cert := genSignedCert "gate" nil (list "gate.gate-system.svc") 365 $ca }}
apiVersion: v1
kind: Secret
metadata:
  name: gate-tls
  annotations: { rendered-at: {{ now | date "2006-01-02" }}, id: {{ uuidv4 }} }
type: kubernetes.io/tls
data:
  tls.crt: {{ $cert.Cert | b64enc }}
  tls.key: {{ $cert.Key | b64enc }}
