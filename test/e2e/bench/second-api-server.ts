import { readFileSync } from 'node:fs';
import { programPath } from '../tools/go-tools';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import { KubernetesApi } from './kubernetes-api';
import { BenchProcess } from './process';
import { freePort } from './temporary';

/** Starts a second API server on the etcd of a control plane, as clusters have several, and answers its API. */
export async function secondApiServer(plane: ControlPlane): Promise<KubernetesApi> {
  const port = await freePort();
  const { pid } = plane.process('kube-apiserver');
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .slice(1)
    .filter((each) => each !== '' && !/^--(secure-port|audit-)/.test(each));
  const api = new KubernetesApi({
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: plane.certificateAuthority,
    certificate: plane.adminCertificate,
    key: plane.adminKey,
  });
  onCleanUp(() => api.close());
  await new BenchProcess({
    name: 'kube-apiserver-2',
    command: programPath('kube-apiserver'),
    args: [...args, `--secure-port=${port}`],
    folder: plane.folder,
  }).start(() => api.call('GET', '/readyz'));
  return api;
}
