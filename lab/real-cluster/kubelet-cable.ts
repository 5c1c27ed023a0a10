import { familyOf } from '../../src/model/ip.ts';
import { formatPrefix } from '../../src/model/prefix.ts';
import { addressIn, hostNumbers, outsideSegment } from '../network/address-plan.ts';
import type { Lab } from '../network/lab.ts';
import { run } from '../process/run.ts';

const near = 'lab-api';
const far = 'api-eth0';
/** Of the sandbox itself, where the API server runs. */
const sandboxNumber = 3;

/**
 * A cable from the sandbox's own network to the segment beyond the router, by which the API server asks kubelets for
 * logs. It goes with the lab.
 */
export async function connectKubelets(lab: Lab): Promise<void> {
  const segment = lab.segment(outsideSegment.name);
  const subnets = [outsideSegment.ipv4, outsideSegment.ipv6].filter((it) => it !== undefined);
  const router = (family: string) =>
    subnets
      .map((subnet) => addressIn(subnet, hostNumbers.router).ip)
      .find((ip) => familyOf(ip) === family);
  const lans = lab.segments.filter(({ name }) => name !== segment.name);
  const routes = lans
    .flatMap(({ plan }) => [plan.ipv4, plan.ipv6])
    .filter((subnet) => subnet !== undefined)
    .map((subnet) => `route replace ${formatPrefix(subnet)} via ${router(familyOf(subnet.ip))}`);
  const addresses = subnets.map(
    (subnet) => `address add ${formatPrefix(addressIn(subnet, sandboxNumber))} dev ${near} nodad`,
  );
  await run(['ip', '-batch', '-'], {
    input: `link add ${near} type veth peer name ${far} netns ${segment.namespace}\n`,
  });
  await segment.connect([far]);
  const lines = [`link set ${near} up`, ...addresses, ...routes];
  await run(['ip', '-batch', '-'], { input: `${lines.join('\n')}\n` });
}
