import { judgedNamespace } from '../admission';
import { goDuration } from '../durations';
import type { Rule } from '../problems';
import {
  checkEnvironment,
  checkLabels,
  containerCommand,
  dnsLabel,
  dnsLabelUpTo,
  dnsSubdomain,
  imageByDigest,
  oneOf,
  Problems,
  secretKey,
  variableName,
  wholeNumber,
} from '../problems';
import { changesSecrets } from './labels-policy';
import { workflowPlanProblems } from './plan-problems';
import type { ShiftWorkflowProps } from './shift-workflow-props';
import { windowProblems } from './window';

/** A CronWorkflow's name has at most 52 characters, and twelve are ours. */
const longestName = 40;

const folder: Rule = {
  allowed: 'an absolute path outside of /etc/cluster-canary and /tmp, without ":"',
  accepts: (value) =>
    typeof value === 'string' &&
    /^\/[^:]+$/.test(value) &&
    !/^\/(etc\/cluster-canary|tmp)(\/|$)/.test(value) &&
    !value.split('/').includes('..'),
};

/**
 * Checks the props of a workflow.
 *
 * @throws InvalidInput with everything that is wrong
 */
export function checkProps(props: ShiftWorkflowProps): void {
  const problems = new Problems(`ShiftWorkflow "${props.name}"`);
  problems.check('name', props.name, dnsLabelUpTo(longestName));
  problems.check('namespace', props.namespace, dnsLabel);
  problems.check('image', props.image, imageByDigest);
  problems.checkGiven('', props, {
    command: containerCommand,
    serviceAccountName: dnsSubdomain,
    start: oneOf('byHand', 'once'),
    deadline: goDuration,
    keepSucceeded: goDuration,
    keepFailed: goDuration,
    parallelism: wholeNumber(1, 1_000),
    retries: wholeNumber(0, 100),
    user: wholeNumber(1, 2_147_483_647),
  });
  checkMaps(problems, props);
  problems.addAll(windowProblems(props.window));
  problems.addAll(workflowPlanProblems(props.plan));
  problems.throwIfAny();
}

function checkMaps(problems: Problems, props: ShiftWorkflowProps): void {
  const { env = {}, secrets = {}, secretFolders = {}, labels, access = [] } = props;
  checkEnvironment(problems, 'env', env);
  for (const [name, source] of Object.entries(secrets)) {
    problems.check('secrets', name, variableName);
    problems.check(`secrets.${name}.secret`, source?.secret, dnsSubdomain);
    problems.check(`secrets.${name}.key`, source?.key, secretKey);
    if (Object.hasOwn(env, name)) {
      problems.addSecret(`secrets.${name}`, 'left out of "env" or of "secrets": it is in both');
    }
  }
  for (const [path, secret] of Object.entries(secretFolders)) {
    problems.check('secretFolders', path, folder);
    problems.check(`secretFolders.${path}`, secret, dnsSubdomain);
  }
  checkLabels(problems, 'labels', labels);
  access.forEach((rule, position) => {
    const { namespace } = rule;
    if (changesSecrets([rule])) {
      problems.check(`access[${position}].namespace`, namespace, judgedNamespace);
    } else if (namespace !== undefined) {
      problems.check(`access[${position}].namespace`, namespace, dnsLabel);
    }
  });
}
