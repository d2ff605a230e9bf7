import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane';
import { temporaryFolder } from './temporary';

/**
 * A program that hands out a user's client certificate the way `aws eks get-token` hands out a token, for clients that
 * log in by an exec plugin. Answers its path.
 */
export async function credentialProgram(
  plane: ControlPlane,
  user: string,
  name = 'credential',
): Promise<string> {
  const kubeconfig = JSON.parse(readFileSync(await plane.kubeconfigFor(user), 'utf8'));
  const [{ user: secrets }] = kubeconfig.users;
  const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
  const credential = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    kind: 'ExecCredential',
    status: {
      clientCertificateData: decoded(secrets['client-certificate-data']),
      clientKeyData: decoded(secrets['client-key-data']),
    },
  });
  const file = join(temporaryFolder('credential'), name);
  writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${credential}\nEND\n`, { mode: 0o700 });
  return file;
}
