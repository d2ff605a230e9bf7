import { ApiServer } from '../../core/kubernetes/api-server';
import { onCleanUp } from './clean-up';
import type { ClusterAccess } from './pulumi-clusters';

/** An API server in memory that has nothing; it is gone when the test file ends. */
export async function emptyCluster(): Promise<ClusterAccess> {
  const server = await ApiServer.start();
  onCleanUp(() => server.stop());
  server.script({ json: { kind: 'List', resources: [], items: [] } });
  const { certificate, key } = await server.authority.issue({ name: 'admin', groups: ['system:masters'] });
  return {
    server: server.url,
    certificateAuthority: server.authority.certificate,
    adminCertificate: certificate,
    adminKey: key,
  };
}
