/**
 * Messages of Protocol Buffers by schemas written in TypeScript: the schema is the type. As proto3 has it, what the
 * bytes do not carry is its default, a message that is absent is undefined, and unknown fields are passed over.
 */

import {
  LENGTH_DELIMITED,
  ProtobufError,
  ProtobufReader,
  ProtobufWriter,
  VARINT,
} from './protobuf-wire.ts';

/** `Value` is what decoding yields, `Input` what encoding takes. */
export interface Field<Value, Input = Value> {
  readonly number: number;
  readonly initial: () => Value;
  write(writer: ProtobufWriter, value: Input): void;
  /** The value after one more occurrence on the wire. */
  read(reader: ProtobufReader, wireType: number, before: Value): Value;
}

type Fields = Readonly<Record<string, Field<unknown, never>>>;

export type MessageValue<F> = {
  readonly [K in keyof F]: F[K] extends Field<infer Value, never> ? Value : never;
};
export type MessageInput<F> = {
  readonly [K in keyof F]?: F[K] extends Field<unknown, infer Input> ? Input | undefined : never;
};

export interface MessageType<Value, Input = Value> {
  encode(input: Input): Uint8Array<ArrayBuffer>;
  /** Throws a `ProtobufError` and nothing else, whatever the bytes are. */
  decode(bytes: Uint8Array): Value;
}

/** What decoding yields. */
export type ValueOf<M> = M extends MessageType<infer Value, never> ? Value : never;
/** What encoding takes. */
export type InputOf<M> = M extends MessageType<unknown, infer Input> ? Input : never;

export function message<const F extends Fields>(
  fields: F,
): MessageType<MessageValue<F>, MessageInput<F>> {
  const byNumber = new Map(
    Object.entries(fields).map(([name, field]) => [field.number, { name, field }]),
  );
  return {
    encode: (input) => {
      const writer = new ProtobufWriter();
      for (const [name, field] of Object.entries(fields)) {
        const value = (input as Record<string, unknown>)[name];
        if (value !== undefined) field.write(writer, value as never);
      }
      return writer.finish();
    },
    decode: (bytes) => {
      const value: Record<string, unknown> = {};
      for (const [name, { initial }] of Object.entries(fields)) value[name] = initial();
      const reader = new ProtobufReader(bytes);
      while (!reader.isAtEnd) {
        const { number, wireType } = reader.tag();
        const known = byNumber.get(number);
        if (known === undefined) reader.skip(wireType);
        else value[known.name] = known.field.read(reader, wireType, value[known.name]);
      }
      return value as MessageValue<F>;
    },
  };
}

/** For answers that say nothing. */
export const emptyMessage = message({});

function number(at: number, decode: (reader: ProtobufReader) => number): Field<number> {
  return {
    number: at,
    initial: () => 0,
    write: (writer, value) => {
      if (value !== 0) writer.tag(at, VARINT).varint(value);
    },
    read: (reader, wireType) => {
      expect(VARINT, wireType, at);
      return decode(reader);
    },
  };
}

/** Also for enumerations, whose values may be newer than we are. */
export const uint32 = (at: number) => number(at, (reader) => reader.varint().low >>> 0);
export const int32 = (at: number) => number(at, (reader) => reader.varint().low | 0);
/** Exact up to 2^53, which is beyond all counters and times. */
export const uint64 = (at: number) =>
  number(at, (reader) => {
    const { low, high } = reader.varint();
    return (high >>> 0) * 2 ** 32 + (low >>> 0);
  });
export const int64 = (at: number) =>
  number(at, (reader) => {
    const { low, high } = reader.varint();
    return (high | 0) * 2 ** 32 + (low >>> 0);
  });

export function bool(at: number): Field<boolean> {
  return {
    number: at,
    initial: () => false,
    write: (writer, value) => {
      if (value) writer.tag(at, VARINT).varint(1);
    },
    read: (reader, wireType) => {
      expect(VARINT, wireType, at);
      const { low, high } = reader.varint();
      return low !== 0 || high !== 0;
    },
  };
}

const texts = {
  encoder: new TextEncoder(),
  decoder: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
};

export function string(at: number): Field<string> {
  return {
    number: at,
    initial: () => '',
    write: (writer, value) => {
      if (value !== '') {
        writer.tag(at, LENGTH_DELIMITED).lengthDelimited(texts.encoder.encode(value));
      }
    },
    read: (reader, wireType) => {
      expect(LENGTH_DELIMITED, wireType, at);
      try {
        return texts.decoder.decode(reader.lengthDelimited());
      } catch (error) {
        if (error instanceof ProtobufError) throw error;
        throw new ProtobufError(`field ${at} is no UTF-8`);
      }
    },
  };
}

export function bytes(at: number): Field<Uint8Array> {
  return {
    number: at,
    initial: () => new Uint8Array(),
    write: (writer, value) => {
      if (value.length > 0) writer.tag(at, LENGTH_DELIMITED).lengthDelimited(value);
    },
    read: (reader, wireType) => {
      expect(LENGTH_DELIMITED, wireType, at);
      return reader.lengthDelimited().slice();
    },
  };
}

/** One message inside another; of several occurrences the last one counts. */
export function nested<Value, Input>(
  at: number,
  type: MessageType<Value, Input>,
): Field<Value | undefined, Input> {
  return {
    number: at,
    initial: () => undefined,
    write: (writer, value) => {
      writer.tag(at, LENGTH_DELIMITED).lengthDelimited(type.encode(value));
    },
    read: (reader, wireType) => {
      expect(LENGTH_DELIMITED, wireType, at);
      return type.decode(reader.lengthDelimited());
    },
  };
}

export function repeated<Value, Input>(
  at: number,
  type: MessageType<Value, Input>,
): Field<readonly Value[], readonly Input[]> {
  const one = nested(at, type);
  return {
    number: at,
    initial: () => [],
    write: (writer, values) => {
      for (const value of values) one.write(writer, value);
    },
    read: (reader, wireType, before) => {
      const value = one.read(reader, wireType, undefined);
      return value === undefined ? before : [...before, value];
    },
  };
}

export function strings(at: number): Field<readonly string[]> {
  const one = string(at);
  return {
    number: at,
    initial: () => [],
    write: (writer, values) => {
      for (const value of values) {
        writer.tag(at, LENGTH_DELIMITED).lengthDelimited(texts.encoder.encode(value));
      }
    },
    read: (reader, wireType, before) => [...before, one.read(reader, wireType, '')],
  };
}

/** Packed, as proto3 sends them; taken one by one as well. */
export function uint32s(at: number): Field<readonly number[]> {
  return {
    number: at,
    initial: () => [],
    write: (writer, values) => {
      if (values.length === 0) return;
      const packed = new ProtobufWriter();
      for (const value of values) packed.varint(value);
      writer.tag(at, LENGTH_DELIMITED).lengthDelimited(packed.finish());
    },
    read: (reader, wireType, before) => {
      if (wireType === VARINT) return [...before, reader.varint().low >>> 0];
      expect(LENGTH_DELIMITED, wireType, at);
      const packed = new ProtobufReader(reader.lengthDelimited());
      const values = [...before];
      while (!packed.isAtEnd) values.push(packed.varint().low >>> 0);
      return values;
    },
  };
}

const mapEntry = message({ key: string(1), value: string(2) });

/** `map<string, string>`. */
export function stringMap(at: number): Field<ReadonlyMap<string, string>> {
  const one = nested(at, mapEntry);
  return {
    number: at,
    initial: () => new Map(),
    write: (writer, values) => {
      for (const [key, value] of values) one.write(writer, { key, value });
    },
    read: (reader, wireType, before) => {
      const entry = one.read(reader, wireType, undefined);
      return entry === undefined ? before : new Map([...before, [entry.key, entry.value]]);
    },
  };
}

/** Tells a value that was sent from one that was not, also where it is the default (`optional`, members of `oneof`). */
export function optional<Value, Input>(
  field: Field<Value, Input>,
): Field<Value | undefined, Input> {
  return {
    number: field.number,
    initial: () => undefined,
    write: (writer, value) => {
      if (value === 0 || value === false) writer.tag(field.number, VARINT).varint(0);
      else if (value === '') writer.tag(field.number, LENGTH_DELIMITED).varint(0);
      else field.write(writer, value);
    },
    read: (reader, wireType) => field.read(reader, wireType, field.initial()),
  };
}

function expect(wanted: number, found: number, at: number): void {
  if (wanted !== found) throw new ProtobufError(`field ${at} has the wire type ${found}`);
}
