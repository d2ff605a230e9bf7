import { iamRoleArn } from '../../core/aws/arns';
import { proxyUrl, someText } from '../../core/validation/formats';
import { holdsLogin, namesSecret, plainSecrets } from '../../core/validation/secrets';
import { templateOf } from './fields';
import type { Field } from './fields';

const noSecret = "left out: a credential would stand in the Secret; give the pods' own identity the right";

/** Checks how Argo CD logs in: once, without a credential. */
export function loginProblems(template: Field): void {
  const [config, older] = [template.at('config'), template.at('metadata').at('config')];
  if (config.isThere && older.isThere) {
    older.wrongSecretly('left out: spec.template.config is there, too');
  }
  for (const login of [config, older]) {
    checkLogin(login);
    if (login.isThere && template.at('server').value === 'arn') {
      login.wrongSecretly("left out: with the server's ARN, EKS logs in by itself");
    }
  }
}

function checkLogin(login: Field): void {
  login.onlyKeys('awsAuthConfig', 'execProviderConfig', 'proxyUrl');
  const [aws, exec] = [login.at('awsAuthConfig'), login.at('execProviderConfig')];
  if (aws.isThere && exec.isThere) {
    exec.wrongSecretly('left out: awsAuthConfig is there, too');
  }
  aws.onlyKeys('roleARN', 'profile');
  aws.at('roleARN').optional(templateOf(iamRoleArn));
  aws.at('profile').optional(someText);
  exec.onlyKeys('command', 'args', 'env', 'apiVersion', 'installHint');
  if (exec.isThere) {
    exec.at('command').required(someText);
  }
  const args = exec.at('args').items();
  const secrets = plainSecrets(args.map(({ value }) => (typeof value === 'string' ? value : '')));
  args.forEach((argument, position) => {
    if (secrets.includes(position)) {
      argument.wrongSecretly(noSecret);
    } else {
      argument.required(templateOf(someText));
    }
  });
  for (const [name, value] of exec.at('env').entries()) {
    if (namesSecret(name) || (typeof value.value === 'string' && holdsLogin(value.value))) {
      value.wrongSecretly(noSecret);
    } else {
      value.required(templateOf(someText));
    }
  }
  exec.at('apiVersion').optional(someText);
  exec.at('installHint').optional(someText);
  const proxy = login.at('proxyUrl');
  if (proxy.isThere && !proxyUrl.accepts(proxy.value)) {
    // It may hold a password.
    proxy.wrongSecretly(proxyUrl.allowed);
  }
}
