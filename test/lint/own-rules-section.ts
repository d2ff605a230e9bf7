import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The example of a module with rules of one's own. */
export const ownRuleFile = join(__dirname, 'own-rule.mjs');

/** Views of the objects by what they are for. All of them are exported by `cluster-canary/lint`. */
export const views: Readonly<Record<string, string>> = {
  admissionWebhooks: 'every webhook of every webhook configuration, with what holds where nothing is said',
  admissionPolicies:
    'ValidatingAdmissionPolicies and MutatingAdmissionPolicies, in the same form, with their bindings',
  workloads:
    'Deployments, Jobs and whatever else makes pods; `workloadsBehind` a Service, `budgetsOf`, `autoscalersOf`',
  trustingObjects:
    'objects with CA bundles, and where their CA is injected from; `trustAnchors` are the single places',
  issuedCertificates: 'Certificates of cert-manager; `issuerOf`, `authorityOf`, `leavesOf`, `lifetimeOf`',
  tlsSecrets: 'Secrets with a private key, and the certificate beside it',
  applicationSpecs: "Argo CD's Applications and ApplicationSets, with the values of their charts",
  workflowSpecs: 'Argo Workflows wherever they stand',
  retryStrategies: 'how their steps are tried again; `totalRetryWait` and `parseRetryDuration` for how long',
  installedCertManager: 'what the objects say of the version of cert-manager',
};

/** The section about rules of one's own. */
export function ownRulesSection(): string[] {
  return [
    '## Rules of your own',
    '',
    'A rule is an object with `id`, `severity`, `title`, `why`, `fix` and `check`, which gets all objects of a run and yields',
    'findings: an object, a JSON pointer in it, and what is there in one line. A finding may have a severity, a reason and a',
    'fix of its own (`Rule`, `RuleContext` and `RawFinding` in `cluster-canary/lint`). `cluster-canary lint --rules FILE`',
    'runs it beside those of the library; `lint`, `RulesValidation` and the policy pack take a list of rules.',
    '',
    '```js',
    readFileSync(ownRuleFile, 'utf8').trimEnd(),
    '```',
    '',
    '`Field` reads any value safely: nothing in a manifest has to be of the right type. What can be derived from the objects',
    'is a view, which all rules of a run share:',
    '',
    '| `objects.view(…)` | what it has |',
    '|---|---|',
    ...Object.entries(views).map(([name, what]) => `| \`${name}\` | ${what} |`),
    '',
    "A rule that needs the state before a change or the objects of a cluster says so (`needs: 'before'`, `needs: 'live'` with",
    '`liveKinds`), and is left out of a run without them. A rule that throws ends neither the run nor the others: the command',
    'says which one it was and at which object, and ends with 2.',
    '',
  ];
}
