import type { MessagePattern } from './pattern';

const errors = 'kubernetes/apimachinery v0.35.4 pkg/api/errors/errors.go';

const fields = 'kubernetes/apimachinery v0.35.4 pkg/util/validation/field/errors.go';

/** What the API server answers to an object. */
export const apiServerPatterns: readonly MessagePattern[] = [
  {
    cause: 'etcd-failing',
    category: 'transient',
    expression: /etcdserver: (?!request is too large)/,
    rule: 'The database of the API server did not take the write in time.',
    advice: 'Wait for the next try. If it lasts, check the control plane.',
    sources: ['etcd-io/etcd v3.6.6 server/etcdserver/errors/errors.go'],
  },
  {
    cause: 'api-server-busy',
    category: 'transient',
    expression:
      /the server is currently unable to handle the request|has received too many requests|Timeout: request did not complete|request did not complete within|unable to return a response in the time allotted|an error on the server \(/,
    rule: 'The API server did not get to the request; nothing was evaluated.',
    advice: 'Wait for the next try. If one API group is concerned, check its APIService.',
    sources: [errors, 'kubernetes/apiserver v0.35.4 pkg/endpoints/handlers/finisher/finisher.go'],
  },
  {
    cause: 'object-modified',
    category: 'transient',
    expression: /the object has been modified; please apply|Operation cannot be fulfilled on /,
    rule: 'Another client wrote the object at the same moment; the next try brings the newest version.',
    advice: 'Wait for the next try. If it lasts, look who writes the object all the time (`managedFields`).',
    sources: [errors, 'kubernetes/apiserver v0.35.4 pkg/registry/generic/registry/store.go'],
  },
  {
    cause: 'field-of-another',
    category: 'user',
    expression: /Apply failed with \d+ conflicts?: conflicts? with "(?<by>[^"]{1,253})"/,
    rule: 'Server-side apply does not take fields that another manager owns, and is not tried again.',
    advice: 'Let one of them own the field: take it out of the manifest, or end the other writer.',
    sources: ['kubernetes/apimachinery v0.35.4 pkg/util/managedfields/internal/conflict.go'],
  },
  {
    cause: 'namespace-terminating',
    category: 'transient',
    expression: /in namespace (?<by>\S{1,253}) because it is being terminated/,
    rule: 'The namespace is being deleted; it can be made again when it is gone.',
    advice: 'Wait until it is gone. If it stays, check its conditions: an object with a finalizer holds it.',
    sources: ['kubernetes/apiserver v0.35.4 pkg/admission/plugin/namespace/lifecycle/admission.go'],
  },
  {
    cause: 'api-server-starting',
    category: 'transient',
    expression: /not yet ready to handle request/,
    rule: 'An admission plugin of the API server has not read its objects yet.',
    advice: 'Wait for the next try.',
    sources: ['kubernetes/kubernetes v1.35.4 plugin/pkg/admission/podnodeselector/admission.go'],
  },
  {
    cause: 'quota-exceeded',
    category: 'user',
    expression: /exceeded quota: (?<by>[^,\s]{1,253})|insufficient quota to /,
    rule: 'A ResourceQuota of the namespace is used up.',
    advice: 'Request less, or raise the ResourceQuota.',
    sources: ['kubernetes/apiserver v0.35.4 pkg/admission/plugin/resourcequota/controller.go'],
  },
  {
    cause: 'pod-security',
    category: 'user',
    expression: /violates PodSecurity "(?<by>[^"]{1,100})"/,
    rule: 'The namespace takes only pods that keep to its Pod Security level.',
    advice: "Set what the message names in the pod's securityContext, or give the namespace another level.",
    sources: ['kubernetes/pod-security-admission v0.35.4 admission/admission.go'],
  },
  {
    cause: 'limit-range',
    category: 'user',
    expression: /(?:maximum|minimum) \S{1,100} usage per \w{1,100} is |limit to request ratio per /,
    rule: 'A LimitRange of the namespace bounds what a container may request.',
    advice: 'Keep requests and limits within the LimitRange.',
    sources: ['kubernetes/kubernetes v1.35.4 plugin/pkg/admission/limitranger/admission.go'],
  },
  {
    cause: 'right-missing',
    category: 'user',
    expression:
      /User "(?<by>[^"]{1,300})" cannot \w{1,40} resource|attempting to grant RBAC permissions not currently held/,
    rule: 'The account that Argo CD uses in the cluster lacks a right.',
    advice: "Grant the right that the message names; on EKS check the access entry of the hub's role.",
    sources: [
      'kubernetes/apiserver v0.35.4 pkg/endpoints/handlers/responsewriters/errors.go',
      'kubernetes/kubernetes v1.35.4 pkg/registry/rbac/validation/rule.go',
    ],
  },
  {
    cause: 'field-immutable',
    category: 'user',
    expression:
      /field is immutable|updates to statefulset spec for fields other than|immutable after creation|cannot change roleRef|may not change once set/,
    rule: "Some fields can't be changed in an object that is there.",
    advice:
      'Take the change back, or make the object anew under another name; `Replace=true,Force=true` on this one object deletes it first, with all that hangs on it.',
    sources: [
      'kubernetes/apimachinery v0.35.4 pkg/api/validation/objectmeta.go',
      'kubernetes/kubernetes v1.35.4 pkg/apis/apps/validation/validation.go',
    ],
  },
  {
    cause: 'object-too-large',
    category: 'user',
    expression: /metadata\.annotations: Too long|Request entity too large|etcdserver: request is too large/,
    rule: 'Client-side apply keeps a copy of the object in an annotation, which has a limit.',
    advice: 'Set the sync option `ServerSideApply=true`.',
    sources: [fields, 'argoproj/argo-cd v3.3.4 util/argo/argo.go'],
  },
  {
    cause: 'unknown-field',
    category: 'user',
    expression: /unknown field "(?<by>[^"]{1,253})"|(?<field>\.\S{1,300}): field not declared in schema/,
    rule: 'The API does not know the field: a misspelling, a wrong place, or another version.',
    advice: 'Fix the field; `kubectl explain` shows what there is.',
    sources: [
      'kubernetes/apimachinery v0.35.4 pkg/runtime/error.go',
      'kubernetes-sigs/structured-merge-diff v6.3.0 typed/validate.go',
    ],
  },
  {
    cause: 'invalid-object',
    category: 'user',
    expression:
      /(?:^|[\s:])[A-Z]\w{0,100}(?:\.[\w.-]{1,253})? "[^"]{0,253}" is invalid|cannot be handled as a \w|error validating data|the object provided is unrecognized|resource name may not be empty|: (?:Required|Invalid|Unsupported|Duplicate) value/,
    rule: 'The API server has checked the object, and will answer the same next time.',
    advice: 'Fix the field that the message names in the source of the Application.',
    sources: [errors, fields, 'kubernetes/apiserver v0.35.4 pkg/endpoints/handlers/rest.go'],
  },
  {
    cause: 'already-there',
    category: 'user',
    expression: /(?<by>\S{1,253} "[^"]{1,253}") already exists/,
    rule: 'An object of that name is there, and was to be created: another client made it, or a generated name came twice.',
    advice: 'Find out whose it is (labels, `managedFields`), and rename or delete one of the two.',
    sources: [errors],
  },
  {
    cause: 'namespace-missing',
    category: 'user',
    expression: /namespaces? "(?<by>[^"]{1,253})" not found/,
    rule: 'Argo CD creates a namespace only where CreateNamespace=true is set.',
    advice:
      'Set the sync option `CreateNamespace=true`, or put the Namespace into the source, in an earlier wave.',
    sources: [errors],
  },
  {
    cause: 'refused',
    category: 'user',
    expression: / is forbidden: /,
    rule: 'What the API server forbids it will forbid next time as well.',
    advice: 'Fix what the message names.',
    sources: [errors],
  },
  {
    cause: 'crd-missing',
    category: 'transient',
    expression: /the server could not find the requested resource/,
    rule: 'The cluster does not know the kind, yet or any more.',
    advice:
      'Wait for the next try while its CustomResourceDefinition or APIService comes; else install what brings it.',
    sources: [errors],
  },
];
