/** What Ginkgo reports of the tests that it ran, and how tests are named to it. */

export interface Spec {
  /** The names of what it is in, and its own. */
  readonly name: string;
}

export interface Outcome extends Spec {
  readonly state: string;
  readonly seconds: number;
  /** Why it failed or was skipped. */
  readonly message?: string;
  /** The file with what it printed. */
  readonly log?: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

/** Of the file that `--ginkgo.json-report` names; tests that were filtered out are left out. */
export function readOutcomes(json: string): readonly Outcome[] {
  const suites = JSON.parse(json) as readonly { readonly SpecReports: readonly SpecReport[] }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports)
    .filter((report) => report.LeafNodeType === 'It' && !isFilteredOut(report))
    .map((report) => ({
      name: [...(report.ContainerHierarchyTexts ?? []), report.LeafNodeText].join(' '),
      state: report.State,
      seconds: Math.round(report.RunTime / 1e9),
      ...(report.Failure?.Message ? { message: report.Failure.Message } : {}),
    }));
}

/** A test that skips itself says why. */
function isFilteredOut({ State, Failure }: SpecReport): boolean {
  return State === 'skipped' && !Failure?.Message;
}

/** The flag that selects this test alone. */
export function matching({ name }: Spec): string {
  return `--ginkgo.focus=${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}

/** What shares a lane runs one after the other: tests of UDP send from the same port of this machine. */
export function lanesOf<T extends Spec>(specs: readonly T[]): readonly (readonly T[])[] {
  const isUdp = ({ name }: Spec) => name.includes('UDP');
  const udp = specs.filter(isUdp);
  const others = specs.filter((spec) => !isUdp(spec)).map((spec) => [spec]);
  return udp.length === 0 ? others : [udp, ...others];
}
