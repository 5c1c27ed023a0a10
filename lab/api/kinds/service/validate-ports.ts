import {
  duplicate,
  type FieldCause,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field-cause.ts';
import { labelProblems, qualifiedNameProblems } from '../../selectors/name-rules.ts';
import type { ServicePort, ServiceSpec } from './service-spec.ts';

export function validatePorts({ type, ports = [] }: ServiceSpec): readonly FieldCause[] {
  return [
    ...ports.flatMap((port, index) => validatePort(port, index, ports)),
    ...(type === 'ClusterIP' ? ports.flatMap(validateHidden) : []),
    ...ports.flatMap((port, index) => validateUnique(port, index, ports)),
  ];
}

const outOfRange = 'must be between 1 and 65535, inclusive';

function isPortNumber(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

function validatePort(
  port: ServicePort,
  index: number,
  ports: readonly ServicePort[],
): readonly FieldCause[] {
  const path = `spec.ports[${index}]`;
  const { protocol, appProtocol } = port;
  return [
    ...validatePortName(port, index, ports),
    ...(isPortNumber(port.port) ? [] : [invalidValue(`${path}.port`, port.port, outOfRange)]),
    ...(['SCTP', 'TCP', 'UDP'].includes(protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP'])]),
    ...validateTargetPort(port.targetPort ?? 0, `${path}.targetPort`),
    ...(appProtocol === undefined
      ? []
      : qualifiedNameProblems(appProtocol).map((problem) =>
          invalidValue(`${path}.appProtocol`, appProtocol, problem),
        )),
  ];
}

function validatePortName({ name }: ServicePort, index: number, ports: readonly ServicePort[]) {
  const field = `spec.ports[${index}].name`;
  if (name === undefined) return ports.length > 1 ? [required(field, '')] : [];
  const problems = labelProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, name, problem));
  const first = ports.findIndex((port) => port.name === name);
  return first < index ? [duplicate(field, name)] : [];
}

function validateTargetPort(target: number | string, field: string): readonly FieldCause[] {
  if (typeof target === 'number') {
    return isPortNumber(target) ? [] : [invalidValue(field, target, outOfRange)];
  }
  return portNameProblems(target).map((problem) => invalidValue(field, target, problem));
}

/** RFC 6335, 5.1: up to fifteen signs, at least one of them a letter. */
function portNameProblems(name: string): readonly string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
}

function validateHidden({ nodePort = 0 }: ServicePort, index: number): readonly FieldCause[] {
  if (nodePort === 0) return [];
  const detail = "may not be used when `type` is 'ClusterIP'";
  return [forbiddenField(`spec.ports[${index}].nodePort`, detail)];
}

function validateUnique(port: ServicePort, index: number, ports: readonly ServicePort[]) {
  const before = ports.slice(0, index).filter((other) => other.protocol === port.protocol);
  if (before.every((other) => other.port !== port.port)) return [];
  const { protocol, port: number } = port;
  // As a Go program prints the struct that it found twice.
  const key = { Name: '', Protocol: protocol, AppProtocol: null, Port: number };
  return [duplicate(`spec.ports[${index}]`, { ...key, TargetPort: 0, NodePort: 0 })];
}
