import { z } from 'zod'
import {
  codecLimit,
  connectionErrorNames,
  connectionKeyHeader,
  connectionStates,
  connectionTestStates,
  connectionTransports,
  keptDays,
  keptMessages,
  messageLimit,
  messageResults,
  mostAddedAtOnce,
  sensorsPerPage,
  storedAtOnce,
} from '@caretaker/rules/connections/connections.ts'
import { templateFault, usualTemplate } from '@caretaker/rules/connectors/downlink-templates.ts'
import {
  connectionKindNames,
  messageKinds,
  sensorEventNames,
  sensorStateNames,
} from '@caretaker/rules/connectors/types.ts'
import { metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import { DeviceId, Id, Timestamp, Version, inTenant, line, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/connections.ts'

const oneConnection = inTenant.extend({ connectionId: Id })
const oneModel = inTenant.extend({ modelId: Id })
const Count = z.number().int()

export const ConnectionName = line(60).pipe(z.string().min(1, 'Name is required!'))

/** A path within a generic JSON message, such as `device.id` or `readings.0.value`. */
const Path = text(200)
export const GenericPaths = z
  .strictObject({
    deviceKey: Path.min(1, 'Path of the sensor id is required!').meta({ examples: ['device.id'] }),
    /**
     * Path of the time: an ISO 8601 text, or seconds or milliseconds since the epoch. If left out, the time of receipt
     * is used.
     */
    time: Path.min(1).optional(),
    /** Path of the object with the values; if left out, the whole message. */
    values: Path.min(1).optional(),
    /** Path of an array with one message per entry; the other paths are relative to the entry. */
    items: Path.min(1).optional(),
    name: Path.min(1).optional(),
    maker: Path.min(1).optional(),
    model: Path.min(1).optional(),
    sequence: Path.min(1).optional(),
  })
  .meta({ id: 'GenericPaths' })

/**
 * A broker that Caretaker connects to. A password or private key that is left out stays as it is, unless the address
 * changes.
 */
export const BrokerSettings = z
  .strictObject({
    url: text(500)
      .pipe(
        z
          .string()
          .trim()
          .regex(/^mqtts?:\/\/[^/\s@?#]+$/, 'must be an address such as mqtts://broker.example:8883'),
      )
      .meta({ examples: ['mqtts://broker.example:8883'] }),
    topic: text(200)
      .min(1, 'Topic is required!')
      .meta({ examples: ['zigbee2mqtt/#'] }),
    user: text(200).optional(),
    password: text(500).optional(),
    /** PEM: the authority that signed the broker's certificate, if it is not a public one. */
    authority: text(20_000).optional(),
    /** PEM: the client certificate with which Caretaker identifies itself, and its private key. */
    certificate: text(20_000).optional(),
    privateKey: text(20_000).optional(),
  })
  .meta({ id: 'BrokerSettings' })

/**
 * Where set points of thermostats are sent. Webhooks need an address: the network server's API for ChirpStack and The
 * Things Stack, otherwise any service that accepts commands. Generic JSON over MQTT needs a topic; other MQTT
 * connections need nothing. A token that is left out stays as it is, unless the address changes.
 */
export const DownlinkSettings = z
  .strictObject({
    url: text(500)
      .pipe(
        z
          .string()
          .trim()
          .regex(/^https?:\/\/[^\s@?#]+$/, 'must be an address such as https://chirpstack.example'),
      )
      .optional()
      .meta({ examples: ['https://chirpstack.example'] }),
    token: text(2000)
      .pipe(z.string().regex(/^[\x21-\x7e]+$/, 'must be a token without spaces'))
      .optional(),
    /** The topic of commands; `{sensor}` is replaced by the id of the sensor. */
    topic: text(200)
      .pipe(z.string().regex(/^[^+#\0$][^+#\0]*$/, 'must be a topic without + and #'))
      .optional()
      .meta({ examples: ['heating/{sensor}/set'] }),
    /**
     * Only for generic JSON: the JSON of a command, in which `{sensor}`, `{setPoint}` and `{id}` are replaced. A text that
     * is only `{setPoint}` becomes a number, in °C.
     */
    template: text(2000)
      .pipe(
        z.string().superRefine((template, context) => {
          const message = templateFault(template)
          if (message) context.addIssue({ code: 'custom', message })
        }),
      )
      .optional()
      .meta({ examples: [usualTemplate] }),
  })
  .meta({ id: 'DownlinkSettings' })

export const ConnectionSettings = z.strictObject({
  name: ConnectionName,
  /** Only for generic JSON. */
  paths: GenericPaths.optional(),
  /** Only for MQTT connections. */
  broker: BrokerSettings.optional(),
  /** Not for MQTT connections of ChirpStack, The Things Stack and Zigbee2MQTT; null removes it with its token. */
  downlink: DownlinkSettings.nullable().optional(),
})
export const NewConnection = ConnectionSettings.extend({
  kind: z.enum(connectionKindNames),
  transport: z.enum(connectionTransports).default('webhook'),
})

/** Errors with the same reason within 24 h. */
export const ConnectionErrorCount = z.object({
  reason: z.enum(connectionErrorNames),
  /** The reason as the user reads it. */
  text: z.string(),
  count: Count,
  last: Timestamp,
  /** The newest of these errors, in a sentence; null if there are no details. */
  detail: z.string().nullable(),
})

/** A connection to another system, with its health. The key is never part of it. */
export const Connection = z
  .object({
    id: z.string(),
    kind: z.enum(connectionKindNames),
    transport: z.enum(connectionTransports),
    name: z.string(),
    state: z.enum(connectionStates),
    /** Reason of the state, in a sentence; null if the state needs no explanation. */
    stateReason: z.string().nullable(),
    stateSince: Timestamp,
    lastMessageAt: Timestamp.nullable(),
    /** Messages within 24 h, duplicates and errors included. */
    messages: Count,
    /** Messages of each of the last 24 hours, oldest first. */
    messagesByHour: z.array(Count),
    /** Errors within 24 h. */
    errors: Count,
    errorsByReason: z.array(ConnectionErrorCount),
    /** Number of sensors that were added to a property. */
    sensors: Count,
    newSensors: Count,
    /** Messages that can be decoded again. */
    notDecoded: Count,
    /**
     * The usual interval, in seconds, between messages of the sensor that reports most often; null before any sensor's
     * second message.
     */
    usualInterval: z.number().nullable(),
    /** Path of the webhook on this server; null for MQTT. */
    webhookPath: z
      .string()
      .nullable()
      .meta({ examples: ['/api/connections/6f1c0f3e-6a53-4d7c-8f5c-5a1f35a1c001/uplink'] }),
    /** The last four characters of the key; null for MQTT. */
    keyEnding: z
      .string()
      .nullable()
      .meta({ examples: ['LrYd'] }),
    keyCreatedAt: Timestamp.nullable(),
    paths: GenericPaths.nullable(),
    /**
     * Without secrets. `error` is the reason why the broker cannot be reached; null while it can be, or before the
     * first attempt.
     */
    broker: z
      .object({
        ...{ url: z.string(), topic: z.string(), user: z.string().nullable() },
        ...{ hasPassword: z.boolean(), hasAuthority: z.boolean(), hasCertificate: z.boolean() },
        ...{ isConnected: z.boolean(), error: z.string().nullable() },
      })
      .nullable(),
    /** Where set points are sent, without the token; null if nothing was entered. */
    downlink: z
      .object({
        ...{ url: z.string().nullable(), hasToken: z.boolean() },
        ...{ topic: z.string().nullable(), template: z.string().nullable() },
      })
      .nullable(),
    createdAt: Timestamp,
    createdBy: z.string(),
  })
  .meta({ id: 'Connection' })
export type Connection = z.infer<typeof Connection>

const WithKey = z.object({
  connection: Connection,
  /** Returned only here; null for MQTT, which has no key. */
  key: z.string().nullable(),
})

export const sendUplink = route({
  ...calls.sendUplink,
  summary: `Receives a message from a network server for a connection. Send the key of the connection in the header \`${connectionKeyHeader}\`. The response is sent after the message is stored; sending a message again is harmless.`,
  status: 202,
  refuses: ['invalid', 'unauthorized', 'not found', 'conflict', 'too large'],
  params: z.object({ connectionId: Id }),
  query: z.object({
    /** The kind of event, in the query that ChirpStack adds. */
    event: text(40).optional(),
    /** The MQTT topic, for messages that name their device only there. */
    topic: text(500).optional(),
  }),
  body: z.unknown().meta({ description: 'The message as the network server sends it, in JSON.' }),
  reply: z.object({
    /** The result of each message in the body. */
    results: z.array(z.object({ deviceKey: z.string(), result: z.enum(messageResults) })),
    /** Entries of the body that are not messages and were not stored, with the reason for the first one. */
    refused: z.object({ count: Count, first: z.string() }).optional(),
  }),
  limit: messageLimit,
})

export const getConnections = route({
  ...calls.getConnections,
  summary: 'The connections of the client with their health, by name.',
  params: inTenant,
  reply: z.object({ results: z.array(Connection) }),
})

export const getConnection = route({
  ...calls.getConnection,
  summary: 'One connection with its health.',
  params: oneConnection,
  reply: Connection,
})

export const addConnection = route({
  ...calls.addConnection,
  returnsSecret: true,
  recentSignIn: true,
  summary: 'Adds a connection. The key of a webhook is returned only here: only its hash is stored.',
  status: 201,
  params: inTenant,
  body: NewConnection,
  reply: WithKey,
})

export const updateConnection = route({
  ...calls.updateConnection,
  recentSignIn: true,
  summary: 'Changes the name, the paths or the broker of a connection.',
  params: oneConnection,
  body: ConnectionSettings,
  reply: Connection,
})

export const pauseConnection = route({
  ...calls.pauseConnection,
  summary: 'Pauses a connection: its messages are refused until it is resumed.',
  params: oneConnection,
  body: z.strictObject({ reason: text(200).optional() }),
  reply: Connection,
})

export const resumeConnection = route({
  ...calls.resumeConnection,
  summary: 'Resumes a paused connection.',
  params: oneConnection,
  reply: Connection,
})

export const replaceConnectionKey = route({
  ...calls.replaceConnectionKey,
  returnsSecret: true,
  recentSignIn: true,
  summary: 'Replaces the key of a connection. The new key is returned only here; the old one stops working at once.',
  status: 201,
  refuses: ['conflict'],
  params: oneConnection,
  reply: WithKey,
})

export const deleteConnection = route({
  ...calls.deleteConnection,
  summary: 'Deletes a connection with its messages and new sensors. Its devices and their readings are kept.',
  status: 204,
  params: oneConnection,
})

/** Signal values of the gateway with the best reception. */
const Radio = z.object({
  /** In dBm. */
  rssi: z.number().nullable(),
  /** In dB. */
  snr: z.number().nullable(),
  gateway: z.string().nullable(),
  /** Zigbee link quality, 0 to 255. */
  linkQuality: z.number().nullable(),
})

const DecodedValue = z.union([z.number(), z.string(), z.boolean()]).meta({ examples: [20.5] })

/** One value of a sensor as the user reads it: a metric with label and unit, or any other value with its path. */
const ShownValue = z.object({
  path: z.string(),
  metric: z.string().nullable(),
  label: z.string(),
  unit: z.string(),
  value: DecodedValue,
})

export const getConnectionTest = route({
  ...calls.getConnectionTest,
  summary: 'The first message of a connection since a given time, or the reason why it was refused.',
  params: oneConnection,
  query: z.object({ since: z.iso.datetime({ offset: true }).optional() }),
  reply: z.object({
    state: z.enum(connectionTestStates),
    /** `Waiting for the first message`, or the reason for a refusal; null if a message was received. */
    text: z.string().nullable(),
    /** When the message arrived. */
    at: Timestamp.nullable(),
    since: Timestamp,
    sensor: z
      .object({
        ...{ deviceKey: z.string(), maker: z.string().nullable(), model: z.string().nullable() },
        values: z.array(ShownValue),
      })
      .nullable(),
  }),
})

/** A message of a sensor with its decoded values and its result. */
export const SensorMessage = z
  .object({
    id: z.string(),
    receivedAt: Timestamp,
    /** Null if the message contains no time: the time of receipt is used. */
    measuredAt: Timestamp.nullable(),
    connectionId: z.string(),
    connectionName: z.string(),
    deviceKey: z.string(),
    deviceId: z.string().nullable(),
    deviceName: z.string().nullable(),
    kind: z.enum(messageKinds),
    result: z.enum(messageResults),
    /** Why the message was not stored, or only in part, in a sentence; null if all of it was stored. */
    reason: z.string().nullable(),
    /** LoRaWAN frame counter. */
    counter: Count.nullable(),
    fPort: Count.nullable(),
    /** The payload in hexadecimal digits; null if the message has none. */
    bytes: z
      .string()
      .nullable()
      .meta({ examples: ['01755C0367C200'] }),
    /** The values that the network server decoded; null if it sent none. */
    object: z.unknown(),
    /** The decoded values by path. */
    decoded: z.record(z.string(), DecodedValue).nullable(),
    /** Name of the decoder, such as `Milesight, built in`; null if nothing was decoded. */
    decoder: z.string().nullable(),
    /** The bytes that each value was read from; null if the decoder does not report them. */
    segments: z.array(z.object({ start: Count, end: Count, paths: z.array(z.string()) })).nullable(),
    /** The mapped values. They are stored only if `result` is `Stored` or `Partial`. */
    readings: z.array(ShownValue.extend({ at: Timestamp })),
    rejected: z.array(
      z.object({
        path: z.string(),
        metric: z.string().nullable(),
        label: z.string(),
        value: DecodedValue,
        reason: z.string(),
      }),
    ),
    unused: z.array(z.object({ path: z.string(), value: DecodedValue })),
    warnings: z.array(z.string()),
    radio: Radio,
    /** The message as it arrived, cut off after 16 kB; empty for users who may not see connections. */
    payload: z.string(),
  })
  .meta({ id: 'SensorMessage' })
export type SensorMessage = z.infer<typeof SensorMessage>

/** The end of a page: the time of its last row in ms, and the id. */
const PageEnd = text(100).regex(/^\d{1,16}-[0-9a-f-]{36}$/)

const messagesQuery = z.object({
  result: z.enum(messageResults).optional(),
  /** Only messages with rejected values. */
  rejected: z.stringbool().optional(),
  /** Searches counter, decoder, reason and device key. */
  search: text(100).optional(),
  /** `next` of the previous page. */
  after: PageEnd.optional(),
})
const messagesReply = z.object({
  results: z.array(SensorMessage),
  next: z.string().nullable(),
  /** Stored messages with rejected values. */
  withRejected: Count,
})

export const getConnectionMessages = route({
  ...calls.getConnectionMessages,
  summary: `The messages of a connection, newest first, 50 at a time; of each sensor the newest ${keptMessages} of the last ${keptDays} days are kept.`,
  params: oneConnection,
  query: messagesQuery,
  reply: messagesReply,
})

export const getSensorMessages = route({
  ...calls.getSensorMessages,
  summary: 'The messages of a device on a connection, newest first, 50 at a time.',
  params: inTenant.extend({ deviceId: DeviceId }),
  query: messagesQuery,
  reply: messagesReply.extend({ modelId: z.string().nullable() }),
})

/** The set point of a thermostat of a connection, in °C. */
export const SetPoint = z
  .object({
    /** As the thermostat reports it; null before its first report. */
    reported: z.number().nullable(),
    /** As last requested; null if it never was, or if the request was withdrawn. */
    desired: z.number().nullable(),
    /** The accepted set points; null for devices whose set point cannot be changed. */
    range: z.object({ min: z.number(), max: z.number(), step: z.number() }).nullable(),
    /** Why its connection cannot send now, in a sentence; null if it can. */
    refusal: z.string().nullable(),
  })
  .meta({ id: 'SetPoint' })
export type SetPoint = z.infer<typeof SetPoint>

const oneDevice = inTenant.extend({ deviceId: DeviceId })

export const getSetPoint = route({
  ...calls.getSetPoint,
  summary: 'The set point of a device of a connection, and whether it can be changed.',
  params: oneDevice,
  reply: SetPoint,
})

export const changeSetPoint = route({
  ...calls.changeSetPoint,
  summary:
    'Requests another set point of a thermostat. The network server delivers it after the next message of the thermostat, whose report then confirms it.',
  refuses: ['refused'],
  params: oneDevice,
  body: z.strictObject({ setPoint: z.number().min(0).max(50) }),
  reply: z.object({ status: z.literal('queued'), commandId: z.string() }),
})

/** A sensor that sent messages and has not been added to a property. */
export const NewSensor = z
  .object({
    id: z.string(),
    connectionId: z.string(),
    connectionName: z.string(),
    /** DevEUI, IEEE address or name. */
    deviceKey: z.string().meta({ examples: ['24E124128C140733'] }),
    name: z.string().nullable(),
    maker: z.string().nullable(),
    model: z.string().nullable(),
    /** The model whose mapping and codec apply; null while the model is unknown. */
    modelId: z.string().nullable(),
    lastValues: z.array(ShownValue),
    radio: Radio,
    messages: Count,
    firstMessageAt: Timestamp.nullable(),
    lastMessageAt: Timestamp.nullable(),
    isIgnored: z.boolean(),
  })
  .meta({ id: 'NewSensor' })
export type NewSensor = z.infer<typeof NewSensor>

export const getNewSensors = route({
  ...calls.getNewSensors,
  summary: `Sensors that sent messages and have not been added to a property, newest message first, ${sensorsPerPage} at a time; ignored ones on request.`,
  params: inTenant,
  query: z.object({
    ignored: z.stringbool().default(false),
    connectionId: Id.optional(),
    /** `next` of the previous page. */
    after: PageEnd.optional(),
  }),
  reply: z.object({
    results: z.array(NewSensor),
    next: z.string().nullable(),
    /** Number of sensors on all pages. */
    total: Count,
    /** Number of ignored sensors, whether or not they are listed. */
    ignored: Count,
  }),
})

const Room = line(100).pipe(z.string().min(1, 'Room is required!'))
const chosenSensors = z.strictObject({ sensorIds: z.array(Id).min(1).max(mostAddedAtOnce) })

export const addSensors = route({
  ...calls.addSensors,
  summary:
    'Adds new sensors to a property, each in a room. They become devices; the messages received so far are stored.',
  status: 201,
  params: inTenant,
  body: z.strictObject({
    propertyId: Id,
    sensors: z
      .array(z.strictObject({ sensorId: Id, room: Room, name: line(100).optional() }))
      .min(1)
      .max(mostAddedAtOnce),
  }),
  reply: z.object({
    added: z.array(z.object({ sensorId: z.string(), deviceId: z.string(), serialNumber: z.string() })),
  }),
})

export const undoAddSensors = route({
  ...calls.undoAddSensors,
  summary: 'Undoes the addition of sensors within an hour: they are new sensors again, and their devices are removed.',
  params: inTenant,
  body: chosenSensors,
  reply: z.object({ undone: Count }),
})

export const ignoreSensors = route({
  ...calls.ignoreSensors,
  summary: 'Ignores new sensors: they are hidden and their messages are not kept until they are restored.',
  params: inTenant,
  body: chosenSensors,
  reply: z.object({ ignored: Count }),
})

export const restoreSensors = route({
  ...calls.restoreSensors,
  summary: 'Restores ignored sensors: they are listed as new sensors again.',
  params: inTenant,
  body: chosenSensors,
  reply: z.object({ restored: Count }),
})

const ModelName = line(60).pipe(z.string().min(1, 'Model is required!'))
const MakerName = line(60).pipe(z.string().min(1, 'Maker is required!'))

export const chooseSensorModel = route({
  ...calls.chooseSensorModel,
  summary: 'Sets the maker and model of new sensors that do not report them. An unknown model is added.',
  params: inTenant,
  body: chosenSensors.extend({ maker: MakerName, model: ModelName }),
  reply: z.object({ modelId: z.string() }),
})

export const importSensors = route({
  ...calls.importSensors,
  summary:
    'Adds the sensors of a connection from a list of DevEUIs, before or after their first message. Nothing is added if a row is wrong.',
  status: 201,
  params: inTenant,
  body: z.strictObject({
    connectionId: Id,
    sensors: z
      .array(
        z.strictObject({
          deviceKey: line(100)
            .pipe(z.string().min(1, 'DevEUI is required!'))
            .meta({ examples: ['24E124128C140733'] }),
          maker: MakerName,
          model: ModelName,
          propertyReference: line(100).pipe(z.string().min(1, 'Property reference is required!')),
          room: Room,
          name: line(100).optional(),
        }),
      )
      .min(1)
      .max(mostAddedAtOnce),
  }),
  reply: z.object({
    added: z.array(z.object({ sensorId: z.string(), deviceId: z.string(), serialNumber: z.string() })),
  }),
})

/** A sensor model: its sensors share one mapping and one codec. */
export const SensorModel = z
  .object({
    id: z.string(),
    maker: z.string(),
    model: z.string(),
    sensors: Count,
    newSensors: Count,
    connections: z.array(z.object({ id: z.string(), name: z.string() })),
    /** Number of mapped paths, and of paths in the last message that are not mapped. */
    mapped: Count,
    unused: Count,
    /** How its messages are decoded, such as `Milesight, built in`; null before the first message. */
    decoder: z.string().nullable(),
    activeCodec: Version.nullable(),
    /** Messages that can be decoded again. */
    notDecoded: Count,
    lastMessageAt: Timestamp.nullable(),
  })
  .meta({ id: 'SensorModel' })
export type SensorModel = z.infer<typeof SensorModel>

export const getSensorModels = route({
  ...calls.getSensorModels,
  summary: 'The models of sensors that the connections of the client have seen, by maker and model.',
  params: inTenant,
  reply: z.object({ results: z.array(SensorModel) }),
})

export const ModelSensor = z
  .object({
    id: z.string(),
    connectionId: z.string(),
    connectionName: z.string(),
    deviceKey: z.string().meta({ examples: ['24E124128C140733'] }),
    name: z.string().nullable(),
    /** Null for a sensor that has not been added to a property. */
    device: z.object({ deviceId: z.string(), name: z.string(), property: z.string().nullable() }).nullable(),
    messages: Count,
    lastMessageAt: Timestamp.nullable(),
    isIgnored: z.boolean(),
  })
  .meta({ id: 'ModelSensor' })
export type ModelSensor = z.infer<typeof ModelSensor>

export const getModelSensors = route({
  ...calls.getModelSensors,
  summary: `The sensors of a model by their keys, ${sensorsPerPage} at a time.`,
  params: oneModel,
  query: z.object({
    /** `next` of the previous page. */
    after: Id.optional(),
  }),
  reply: z.object({ results: z.array(ModelSensor), next: z.string().nullable() }),
})

const MappingPath = text(200).min(1)
/** The target of a path: reading = value × factor, in the given unit. */
export const MappingRow = z
  .discriminatedUnion('to', [
    z.strictObject({
      ...{ path: MappingPath, to: z.literal('metric'), metric: z.enum(metricKeys), unit: text(20) },
      factor: z
        .number()
        .min(-1e9)
        .max(1e9)
        .refine((value) => value !== 0, 'must not be 0'),
      /** Numbers for values that are words, true or false; the keys are in lower case. */
      words: z.record(text(40), z.number()).optional(),
    }),
    z.strictObject({
      ...{ path: MappingPath, to: z.literal('extra'), name: line(60).pipe(z.string().min(1)) },
      factor: z
        .number()
        .min(-1e9)
        .max(1e9)
        .refine((value) => value !== 0, 'must not be 0'),
    }),
    z.strictObject({ path: MappingPath, to: z.literal('state'), state: z.enum(sensorStateNames) }),
    z.strictObject({ path: MappingPath, to: z.literal('event'), event: z.enum(sensorEventNames) }),
    z.strictObject({ path: MappingPath, to: z.literal('unused') }),
  ])
  .meta({
    id: 'MappingRow',
    examples: [{ path: 'temperature', to: 'metric', metric: 'temperature', unit: '°C', factor: 1 }],
  })
export type MappingRow = z.infer<typeof MappingRow>
const MappingRows = z
  .array(MappingRow)
  .max(200)
  .refine((rows) => new Set(rows.map(({ path }) => path)).size === rows.length, 'Each path may occur once')

export const SensorMapping = z
  .object({
    model: SensorModel,
    /** 0 while the suggestions apply. */
    version: Version,
    savedAt: Timestamp.nullable(),
    savedBy: z.string().nullable(),
    rows: z.array(MappingRow),
    /** The mapping suggested by name and unit, for each path seen. */
    suggestions: z.array(MappingRow),
    /** The last decoded message of the model; null before the first one. */
    lastMessage: z
      .object({
        at: Timestamp,
        deviceKey: z.string(),
        deviceName: z.string().nullable(),
        values: z.record(z.string(), DecodedValue),
      })
      .nullable(),
  })
  .meta({ id: 'SensorMapping' })
export type SensorMapping = z.infer<typeof SensorMapping>

export const getSensorMapping = route({
  ...calls.getSensorMapping,
  summary: 'The mapping of a sensor model, its suggestions and the last message.',
  params: oneModel,
  reply: SensorMapping,
})

export const saveSensorMapping = route({
  ...calls.saveSensorMapping,
  summary: 'Saves the mapping of a sensor model. It applies to new messages; stored readings stay unchanged.',
  refuses: ['conflict'],
  params: oneModel,
  body: z.strictObject({ version: Version, rows: MappingRows }),
  reply: SensorMapping,
})

export const restoreMappingSuggestions = route({
  ...calls.restoreMappingSuggestions,
  summary: 'Replaces the mapping of a sensor model with the suggested one.',
  params: oneModel,
  reply: SensorMapping,
})

export const getMappingVersions = route({
  ...calls.getMappingVersions,
  summary: 'The saved versions of a mapping, newest first.',
  params: oneModel,
  reply: z.object({
    results: z.array(
      z.object({ version: Version, savedAt: Timestamp, savedBy: z.string(), rows: z.array(MappingRow) }),
    ),
  }),
})

const PathVersion = z.coerce.number().int().min(1).max(2_147_483_647)
const oneVersion = oneModel.extend({ version: PathVersion })

export const restoreMappingVersion = route({
  ...calls.restoreMappingVersion,
  summary: 'Restores an earlier version of a mapping as a new version.',
  params: oneVersion,
  reply: SensorMapping,
})

export const CodecVersion = z
  .object({
    version: Version,
    source: z.string(),
    savedAt: Timestamp,
    savedBy: z.string(),
    /** When it was last tried; a codec cannot be activated before a trial. */
    triedAt: Timestamp.nullable(),
    activatedAt: Timestamp.nullable(),
    activatedBy: z.string().nullable(),
    isActive: z.boolean(),
  })
  .meta({ id: 'CodecVersion' })
export type CodecVersion = z.infer<typeof CodecVersion>
const CodecVersions = z.object({ model: SensorModel, results: z.array(CodecVersion) })

export const getCodecVersions = route({
  ...calls.getCodecVersions,
  summary: 'The versions of the codec of a sensor model, newest first.',
  params: oneModel,
  reply: CodecVersions,
})

export const saveCodecVersion = route({
  ...calls.saveCodecVersion,
  summary: 'Saves a codec as a new version, which is a draft until it is activated.',
  status: 201,
  params: oneModel,
  body: z.strictObject({
    source: z
      .string()
      .min(1, 'Codec is required!')
      .refine((source) => new TextEncoder().encode(source).length <= codecLimit, 'Codec is larger than 40 kB')
      .refine((source) => source.isWellFormed() && !source.includes('\0'), 'must be text')
      .meta({ examples: ['function decodeUplink({ bytes }) {\n  return { data: { temperature: bytes[0] / 10 } }\n}'] }),
  }),
  reply: CodecVersion,
})

/** A codec's result for one stored message, next to the result of the active decoder. */
export const TriedMessage = z.object({
  messageId: z.string(),
  receivedAt: Timestamp,
  deviceKey: z.string(),
  result: z.enum(['Decoded', 'Warning', 'Not decoded']),
  reason: z.string().nullable(),
  /** In milliseconds. */
  duration: z.number(),
  before: z.record(z.string(), DecodedValue).nullable(),
  after: z.record(z.string(), DecodedValue).nullable(),
})
export type TriedMessage = z.infer<typeof TriedMessage>

export const CodecTrial = z
  .object({
    version: Version,
    tried: Count,
    decoded: Count,
    warnings: Count,
    notDecoded: Count,
    /** Duration of the slowest message, in ms. */
    slowest: z.number(),
    compared: z.object({
      /** Version of the active codec; null if another decoder is active. */
      version: Version.nullable(),
      same: Count,
      /** Number of messages with a value under a new path. */
      added: z.array(z.object({ path: z.string(), count: Count })),
      changed: z.array(z.object({ path: z.string(), count: Count, before: DecodedValue, after: DecodedValue })),
      noLongerDecoded: Count,
    }),
    messages: z.array(TriedMessage),
  })
  .meta({ id: 'CodecTrial' })
export type CodecTrial = z.infer<typeof CodecTrial>

export const tryCodecVersion = route({
  ...calls.tryCodecVersion,
  summary: 'Tries a version of a codec on the last 100 stored messages of its model. Nothing is stored.',
  params: oneVersion,
  reply: CodecTrial,
})

export const activateCodecVersion = route({
  ...calls.activateCodecVersion,
  summary: 'Activates a version of a codec that has been tried. It decodes new messages from now on.',
  refuses: ['conflict'],
  params: oneVersion,
  reply: CodecVersions,
})

export const rollBackCodec = route({
  ...calls.rollBackCodec,
  summary:
    'Activates the version that was active before, or deactivates the codec if there is none; 409 if no version is active. The current version becomes a draft.',
  refuses: ['conflict'],
  params: oneModel,
  reply: CodecVersions,
})

export const decodeMessagesAgain = route({
  ...calls.decodeMessagesAgain,
  summary: `Decodes stored messages of a model that could not be decoded before, oldest first, and stores their readings: at most ${storedAtOnce} in one call. Repeat it with \`next\` until that is null; after a failure, continue with the same \`after\`.`,
  params: oneModel,
  query: z.object({
    /** `next` of the previous call. */
    after: PageEnd.optional(),
  }),
  reply: z.object({ decoded: Count, notDecoded: Count, next: z.string().nullable() }),
})
