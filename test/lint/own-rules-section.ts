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
    'A rule is an object with `id`, `severity`, `title`, `why`, `fix` and `check`. `check` gets all objects of a run and yields',
    'findings: an object, a JSON pointer, and a message of one line. A finding can have its own severity, reason and fix. The',
    'types are `Rule`, `RuleContext` and `RawFinding` in `cluster-canary/lint`.',
    '',
    '`cluster-canary lint --rules FILE` runs the rules of a module in addition to those of the library. `lint()`,',
    '`RulesValidation` and the policy pack take a list of rules.',
    '',
    '```js',
    readFileSync(ownRuleFile, 'utf8').trimEnd(),
    '```',
    '',
    '`Field` reads a value of any type without an exception. A view is data derived from all objects; the rules of a run share',
    'it:',
    '',
    '| `objects.view(…)` | what it has |',
    '|---|---|',
    ...Object.entries(views).map(([name, what]) => `| \`${name}\` | ${what} |`),
    '',
    "A rule that needs the objects before a change (`needs: 'before'`) or those of a cluster (`needs: 'live'` and `liveKinds`)",
    'is skipped in a run without them. When a rule throws, the other rules still run, and the command names the rule and the',
    'object and ends with 2.',
    '',
    "A rule that finds the same in an object by itself as among others says `scope: 'object'`: the policy pack then refuses the",
    "object before it is made. One that looks at what only files have says `scope: 'files'`, and is no policy.",
    '',
  ];
}
