/** What comes of a field, or a whole object, that is taken away. */
export interface FieldFate {
  /** Which objects: a pattern of `KIND ROLE`. */
  readonly object: RegExp;
  /** Which fields: a pattern of their paths, where texts of lists stand for themselves. `''` is the whole object. */
  readonly field: RegExp;
  /** Rules that fire, each of them. */
  readonly rules?: readonly string[];
  /** Why none does. */
  readonly why?: string;
}

const of = (object: RegExp) => ({
  fires: (field: RegExp, ...rules: string[]): FieldFate => ({ object, field, rules }),
  silent: (field: RegExp, why: string): FieldFate => ({ object, field, why }),
});

const refused = 'the API server, or the webhook of cert-manager, refuses the object';
const jobFails = 'the Job fails or never runs, and nothing after it is applied';
const jobDoesTheSame =
  'the Job fails, or does the same within other limits: nothing is applied before it has succeeded';

const webhook = of(/WebhookConfiguration /);
const security = of(/WebhookConfiguration security/);
const required = of(/WebhookConfiguration required/);
const convenience = of(/WebhookConfiguration convenience/);
const byLabel = of(/WebhookConfiguration (required|convenience)/);
const budget = of(/^PodDisruptionBudget/);
const definition = of(/^CustomResourceDefinition/);
const called = of(/^(CustomResourceDefinition|APIService)/);
const authority = of(/^Certificate authority/);
const leaf = of(/^Certificate leaf/);
const certificate = of(/^Certificate /);
const issuer = of(/Issuer authority/);
const bundle = of(/^Secret /);
const policy = of(/AdmissionPolicy /);
const conveniencePolicy = of(/^MutatingAdmissionPolicy /);
const binding = of(/AdmissionPolicyBinding /);
const rights = of(/^(ServiceAccount|(Cluster)?Role(Binding)?) /);
const job = of(/^Job /);

/** The first that fits counts. */
export const fieldFates: readonly FieldFate[] = [
  // Where the CA comes from.
  webhook.fires(/^metadata\/annotations(\/cert-manager.*)?$/, 'TLS10'),
  called.fires(/^metadata\/annotations(\/cert-manager.*)?$/, 'TLS12'),
  bundle.fires(/^metadata\/annotations(\/cert-manager.*)?$/, 'TLS10', 'TLS12'),
  bundle.fires(/^$/, 'TLS10'),

  // Webhooks.
  webhook.fires(/\/failurePolicy$/, 'WH07'),
  webhook.fires(/\/timeoutSeconds$/, 'WH09'),
  webhook.fires(/\/(matchPolicy|sideEffects|admissionReviewVersions(\/v1)?)$/, 'WH11'),
  webhook.fires(/\/clientConfig(\/service(\/name|\/namespace)?)?$/, 'WH12'),
  webhook.silent(/\/clientConfig\/service\/(port|path)$/, 'these are the defaults of Kubernetes'),
  security.fires(/\/intent$/, 'WH06'),
  byLabel.fires(/\/intent$/, 'WH13'),
  required.fires(/\/objectSelector(\/.*)?$/, 'WH06', 'WH07'),
  convenience.fires(/\/objectSelector(\/.*)?$/, 'WH07'),
  security.fires(/\/values\/gate-system$/, 'WH04'),
  security.fires(/\/values\/cert-manager$/, 'WH05'),
  byLabel.silent(/\/values\/(gate-system|cert-manager)$/, 'the pods in there do not ask for the webhook'),
  webhook.silent(/\/values\/kube-(public|node-lease)$/, 'no pods are in there'),
  security.fires(
    /\/namespaceSelector(\/matchExpressions(\/0(\/key|\/operator)?)?)?$/,
    'WH03',
    'WH04',
    'WH06',
  ),
  webhook.fires(/\/namespaceSelector(\/.*)?$/, 'WH03'),
  webhook.silent(/\/reinvocationPolicy$/, 'Never is the default of Kubernetes'),
  webhook.silent(/^$|^webhooks(\/0)?(\/rules.*|\/name)?$/, `nothing is asked, or ${refused}`),
  budget.fires(/^$|^spec(\/selector)?$/, 'WH12'),
  budget.silent(/matchLabels/, 'an empty selector selects every pod of the namespace'),
  budget.fires(/maxUnavailable/, 'WH12'),

  // What else calls the server.
  definition.silent(/^spec\/(group|names|scope|versions)/, 'the definition that was given says it'),
  called.silent(/^$|^spec(\/.*)?$/, `nothing is called, or ${refused}`),

  // Certificates.
  authority.fires(/^spec\/isCA$/, 'TLS01', 'TLS12'),
  authority.fires(/^spec\/privateKey(\/rotationPolicy)?$/, 'TLS03'),
  authority.fires(/^spec\/duration$/, 'TLS04'),
  authority.silent(/renewBefore$/, 'cert-manager takes a third of the life, which is longer'),
  authority.fires(/^$|^spec(\/secretName)?$/, 'TLS04'),
  leaf.fires(/^spec\/dnsNames(\/gate\.gate-system\.svc)?$/, 'TLS06'),
  leaf.silent(/^spec\/dnsNames\/.*cluster\.local$/, 'API servers call the shorter name'),
  leaf.fires(/^spec\/usages\/server auth$/, 'TLS06'),
  leaf.fires(/^spec\/issuerRef(\/name)?$/, 'TLS04'),
  leaf.silent(/^spec\/(duration|renewBefore)$/, 'the defaults of cert-manager are the same'),
  leaf.silent(/^$/, 'the certificate may come from elsewhere'),
  certificate.silent(
    /usages/,
    'with no usage a certificate is good for every one, and API servers look at no other',
  ),
  certificate.silent(/privateKey/, 'the defaults of cert-manager are as safe'),
  certificate.silent(/issuerRef\/(kind|group)$/, 'these are the defaults of cert-manager'),
  certificate.silent(/^spec(\/(commonName|secretName|issuerRef.*))?$/, refused),
  issuer.fires(/^$|^spec\/ca\/secretName$/, 'TLS04'),
  issuer.silent(/^spec/, refused),
  of(/Issuer self-signed/).silent(/^$|^spec/, 'the authority is not issued, and nothing signs'),

  // A CA rotation.
  job.fires(/^$|^metadata\/annotations(\/argocd.*sync-wave)?$/, 'TLS15'),
  job.fires(
    /^spec(\/template(\/spec(\/serviceAccountName|\/containers(\/0(\/args(\/(ca-rotation|bundle|check|publish|switch|retire))?)?)?)?)?)?$/,
    'TLS15',
  ),
  job.silent(
    /^metadata\/annotations\/argocd.*hook/,
    'as an ordinary object of its wave, it is waited for, too',
  ),
  job.silent(/^metadata\/annotations\/pulumi/, 'Pulumi waits all the same, and tells why it does not go on'),
  job.silent(/\/command(\/.*)?$/, 'the image may run the command by itself'),
  job.silent(/^spec\//, jobDoesTheSame),
  rights.silent(/.*/, jobFails),
  of(/^(Secret|Certificate|Issuer) /).silent(/sync-wave$|^metadata\/annotations$/, jobFails),

  // Policies.
  policy.fires(/^$/, 'WH12'),
  policy.fires(/\/failurePolicy$/, 'WH07'),
  conveniencePolicy.fires(/^spec$|\/objectSelector(\/.*)?$|^spec\/matchConstraints$/, 'WH07'),
  policy.fires(/^spec$/, 'WH07'),
  policy.silent(/\/intent$|^metadata\/annotations$/, 'failure policy and label stay as the intent asks for'),
  policy.silent(/\/namespaceSelector(\/.*)?$/, 'a policy is never away, and none of its expressions fails'),
  policy.silent(/\/(matchPolicy|reinvocationPolicy)$/, 'these are the defaults of Kubernetes'),
  policy.silent(/^spec\/.*/, `nothing is evaluated, or ${refused}`),
  binding.silent(/^metadata/, 'the intent is said at the policy'),
  binding.fires(/^$|^spec(\/policyName)?$/, 'WH12'),
  binding.fires(/^spec\/validationActions(\/Deny)?$/, 'WH07'),
];
