import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The example of a module with rules of one's own. */
export const ownRuleFile = join(__dirname, 'own-rule.mjs');

/** Views of the objects by what they are for. All of them are exported by `cluster-canary/lint`. */
export const views: Readonly<Record<string, string>> = {
  admissionWebhooks: 'every webhook of every webhook configuration, with defaults filled in',
  admissionPolicies:
    'ValidatingAdmissionPolicies and MutatingAdmissionPolicies, in the same form, with their bindings',
  workloads:
    'Deployments, Jobs and everything else that makes pods; `workloadsBehind` a Service, `budgetsOf`, `autoscalersOf`',
  trustingObjects:
    'objects with CA bundles, and the source of injected CAs; `caBundleLocations` for each place',
  issuedCertificates: 'Certificates of cert-manager; `issuerOf`, `authorityOf`, `leavesOf`, `lifetimeOf`',
  tlsSecrets: 'Secrets with a private key, and their certificate',
  applicationSpecs: "Argo CD's Applications and ApplicationSets, with the values of their charts",
  workflowSpecs: 'Argo Workflows, also inside other kinds',
  retryStrategies: 'retry strategies of their steps; `totalRetryWait` and `parseRetryDuration`',
  installedCertManager: 'the version of cert-manager among the objects',
};

/** The section about rules of one's own. */
export function ownRulesSection(): string[] {
  return [
    '## Rules of your own',
    '',
    'A `Rule` of `cluster-canary/lint` gets all objects of a run and yields findings: an object, a JSON pointer, and a message',
    'of one line. `cluster-canary lint --rules FILE` runs the rules of a module in addition to those of the library. `lint()`,',
    '`RulesValidation` and the policy pack take a list of rules.',
    '',
    '```js',
    readFileSync(ownRuleFile, 'utf8').trimEnd(),
    '```',
    '',
    '`Field` reads a value of any type. A view is data derived from all objects:',
    '',
    '| `objects.view(…)` | what it has |',
    '|---|---|',
    ...Object.entries(views).map(([name, what]) => `| \`${name}\` | ${what} |`),
    '',
    "`needs: 'before'` is for rules that need the objects before a change, `needs: 'live'` with `liveKinds` for those that need",
    'a cluster. When a rule throws, the other rules still run, and the command ends with 2.',
    '',
    "With `scope: 'object'` the policy pack refuses an object before it is made. A rule with `scope: 'files'` is no policy.",
    '',
  ];
}
