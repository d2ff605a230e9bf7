import { chronyConfig, checkServers } from './chrony-config';
import { amazonTimeSync } from './time-servers';

/**
 * Settings of Bottlerocket, as TOML: a fragment of user data.
 *
 * @param servers addresses or host names. Default: Amazon Time Sync
 * @throws InvalidInput where they are none
 * @see https://bottlerocket.dev/en/os/latest/api/settings/ntp/
 */
export function bottlerocketTimeSettings(servers: readonly string[] = amazonTimeSync): string {
  checkServers(servers);
  return `[settings.ntp]\ntime-servers = [${servers.map((server) => JSON.stringify(server)).join(', ')}]\n`;
}

/**
 * A script for machines that have chrony, in AMIs of one's own and elsewhere: user data, or a fragment of it. It writes
 * chrony's configuration and starts chrony, and fails where there is none.
 *
 * @param servers addresses or host names. Default: Amazon Time Sync
 * @throws InvalidInput where they are none
 */
export function chronyScript(servers: readonly string[] = amazonTimeSync): string {
  return `#!/bin/sh
set -eu
command -v chronyd >/dev/null || { echo 'there is no chronyd on this machine' >&2; exit 1; }
# Debian and Ubuntu have a folder for it, Amazon Linux and Red Hat a file.
if [ -d /etc/chrony ]; then file=/etc/chrony/chrony.conf service=chrony; else file=/etc/chrony.conf service=chronyd; fi
cat >"$file" <<'END'
${chronyConfig(servers)}END
systemctl enable "$service"
systemctl restart "$service"
`;
}

/**
 * User data of several parts, each a script, as EKS wants it for Amazon Linux: it adds its own part.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
export function scriptsAsUserData(...scripts: readonly string[]): string {
  const boundary = 'cluster-canary-part';
  const parts = scripts.map(
    (script) => `--${boundary}\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n${script.trimEnd()}`,
  );
  return [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    ...parts,
    `--${boundary}--`,
    '',
  ].join('\n');
}
