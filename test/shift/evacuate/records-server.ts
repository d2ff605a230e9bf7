/** A weighted record. */
export interface FakeRecord {
  readonly name: string;
  readonly type: string;
  readonly identifier: string;
  weight: number;
}

const start = '/2013-04-01/hostedzone';

/** Weighted records of one hosted zone behind the protocol of Route 53. */
export class RecordsServer {
  /** Id of the zone. */
  public static readonly zone = 'Z1D633PJN98FT9';

  public constructor(public readonly records: readonly FakeRecord[]) {}

  /** Whether a request is one of Route 53. */
  public static isAsked(path: string): boolean {
    return path.startsWith('/2013-04-01/');
  }

  /** The action of a request, as IAM names it. */
  public static actionOf(method: string, path: string): string {
    return path.startsWith(`${start}/`)
      ? method === 'POST'
        ? 'ChangeResourceRecordSets'
        : 'ListResourceRecordSets'
      : path.startsWith(start)
        ? 'ListHostedZones'
        : 'GetChange';
  }

  /** The answer, as XML. */
  public answer(action: string, path: string, body: string): string {
    switch (action) {
      case 'ListHostedZones':
        return `<ListHostedZonesResponse><HostedZones><HostedZone><Id>/hostedzone/${RecordsServer.zone}</Id><Name>example.com.</Name><CallerReference>1</CallerReference><ResourceRecordSetCount>${this.records.length + 2}</ResourceRecordSetCount></HostedZone></HostedZones><IsTruncated>false</IsTruncated><MaxItems>100</MaxItems></ListHostedZonesResponse>`;
      case 'ListResourceRecordSets': {
        const from = new URL(path, 'http://route53').searchParams.get('name') ?? '';
        const name = from.replace(/\.$/, '');
        const listed = this.records.filter((each) => name === '' || each.name === name);
        return `<ListResourceRecordSetsResponse><ResourceRecordSets>${listed.map(recordXml).join('')}</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></ListResourceRecordSetsResponse>`;
      }
      default:
        this.change(body);
        return '<ChangeResourceRecordSetsResponse><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status><SubmittedAt>2026-01-01T00:00:00Z</SubmittedAt></ChangeInfo></ChangeResourceRecordSetsResponse>';
    }
  }

  private change(body: string): void {
    for (const [, set = ''] of body.matchAll(/<ResourceRecordSet>([^]*?)<\/ResourceRecordSet>/g)) {
      const of = (tag: string): string => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(set)?.[1] ?? '';
      const found = this.records.find(
        ({ name, type, identifier }) =>
          `${name}.` === of('Name') && type === of('Type') && identifier === of('SetIdentifier'),
      );
      if (found) {
        found.weight = Number(of('Weight'));
      }
    }
  }
}

function recordXml({ name, type, identifier, weight }: FakeRecord): string {
  return `<ResourceRecordSet><Name>${name}.</Name><Type>${type}</Type><SetIdentifier>${identifier}</SetIdentifier><Weight>${weight}</Weight><TTL>60</TTL><ResourceRecords><ResourceRecord><Value>192.0.2.1</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>`;
}
