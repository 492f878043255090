import type {
  CodecTrial,
  CodecVersion,
  Connection,
  NewSensor,
  SensorMapping,
  SensorMessage,
  SensorModel,
} from '@caretaker/contract/connections.ts'
import { sendUplink } from '@caretaker/contract/connections.ts'
import { idOf } from './devices.ts'

export const aConnection = (more: Partial<Connection> = {}): Connection => ({
  ...{ id: idOf(1), kind: 'chirpstack', transport: 'webhook', name: 'ChirpStack, Halifax' },
  ...{ state: 'Working', stateReason: null, stateSince: '2026-11-28T15:00:00Z' },
  lastMessageAt: '2026-11-28T15:34:00Z',
  ...{ messages: 3466, messagesByHour: Array.from({ length: 24 }, (_, hour) => (hour < 5 ? 0 : 140)) },
  ...{ errors: 0, errorsByReason: [], sensors: 48, newSensors: 2, notDecoded: 0, usualInterval: 25 },
  webhookPath: sendUplink.path.replace('{connectionId}', idOf(1)),
  ...{ keyEnding: 'LrYd', keyCreatedAt: '2026-11-01T09:00:00Z', paths: null, broker: null },
  ...{ downlink: null, createdAt: '2026-11-01T09:00:00Z', createdBy: 'Priya Nair' },
  ...more,
})

export const aNewSensor = (at: number, more: Partial<NewSensor> = {}): NewSensor => ({
  ...{ id: idOf(100 + at), connectionId: idOf(1), connectionName: 'ChirpStack, Halifax' },
  ...{ deviceKey: `24E124128C14073${at}`, name: null, maker: 'Milesight', model: 'AM107', modelId: idOf(200) },
  lastValues: [
    { path: 'temperature', metric: 'temperature', label: 'Temperature', unit: '°C', value: 19.4 },
    { path: 'humidity', metric: 'humidity', label: 'Humidity', unit: '%', value: 61 },
  ],
  radio: { rssi: -71, snr: 9.2, gateway: 'roof', linkQuality: null },
  ...{ messages: 12, firstMessageAt: '2026-11-28T13:34:00Z', lastMessageAt: '2026-11-28T15:34:00Z', isIgnored: false },
  ...more,
})

export const aModel = (more: Partial<SensorModel> = {}): SensorModel => ({
  ...{ id: idOf(200), maker: 'Milesight', model: 'AM107', sensors: 12, newSensors: 0 },
  connections: [
    { id: idOf(1), name: 'ChirpStack, Halifax' },
    { id: idOf(2), name: 'The Things Stack, Leeds' },
  ],
  ...{ mapped: 3, unused: 2, decoder: 'Milesight, built in', activeCodec: null, notDecoded: 0 },
  lastMessageAt: '2026-11-28T15:34:00Z',
  ...more,
})

export const aMapping = (more: Partial<SensorMapping> = {}): SensorMapping => ({
  ...{ model: aModel(), version: 0, savedAt: null, savedBy: null },
  rows: [
    { path: 'temperature', to: 'metric', metric: 'temperature', unit: '°C', factor: 1 },
    { path: 'co2', to: 'metric', metric: 'co2', unit: 'ppm', factor: 1 },
    { path: 'pressure', to: 'metric', metric: 'airPressure', unit: 'hPa', factor: 1 },
    { path: 'activity', to: 'unused' },
    { path: 'infrared', to: 'unused' },
  ],
  suggestions: [
    { path: 'temperature', to: 'metric', metric: 'temperature', unit: '°C', factor: 1 },
    { path: 'co2', to: 'metric', metric: 'co2', unit: 'ppm', factor: 1 },
    { path: 'pressure', to: 'metric', metric: 'airPressure', unit: 'hPa', factor: 1 },
    { path: 'activity', to: 'metric', metric: 'presence', unit: '', factor: 1 },
    { path: 'infrared', to: 'unused' },
  ],
  lastMessage: {
    ...{ at: '2026-11-28T15:34:00Z', deviceKey: '24E124128C140733', deviceName: 'Living room climate' },
    values: { temperature: 19.4, co2: 65_535, pressure: 1021.5, activity: 5, infrared: 20 },
  },
  ...more,
})

/** A message of six bytes: one value stored, one rejected, one not used. */
export const aMessage = (at: number, more: Partial<SensorMessage> = {}): SensorMessage => ({
  ...{ id: idOf(300 + at), receivedAt: `2026-11-28T15:${String(34 - at).padStart(2, '0')}:12Z`, measuredAt: null },
  ...{ connectionId: idOf(1), connectionName: 'ChirpStack, Halifax', deviceKey: '24E124128C140733' },
  ...{ deviceId: idOf(5), deviceName: 'Living room climate', kind: 'uplink', result: 'Partial', reason: null },
  ...{ counter: 4218 - at, fPort: 85, bytes: '0367C200077DFFFF0665', object: null },
  decoded: { temperature: 19.4, co2: 65_535, infrared: 20 },
  decoder: 'Milesight, built in',
  segments: [
    { start: 0, end: 4, paths: ['temperature'] },
    { start: 4, end: 8, paths: ['co2'] },
    { start: 8, end: 10, paths: ['infrared'] },
  ],
  readings: [
    {
      ...{ path: 'temperature', metric: 'temperature', label: 'Temperature', unit: '°C', value: 19.4 },
      at: '2026-11-28T15:34:12Z',
    },
  ],
  rejected: [{ path: 'co2', metric: 'co2', label: 'CO2', value: 65_535, reason: 'Outside 0–10,000 ppm' }],
  unused: [{ path: 'infrared', value: 20 }],
  ...{ warnings: [], radio: { rssi: -71, snr: 9.2, gateway: 'roof', linkQuality: null }, payload: '{"fCnt":4218}' },
  ...more,
})

export const aCodec = (version: number, more: Partial<CodecVersion> = {}): CodecVersion => ({
  version,
  source: "function decodeUplink({ bytes }) {\n  return { data: {}, warnings: ['Unknown type ' + bytes[0]] }\n}",
  ...{ savedAt: '2026-11-02T09:00:00Z', savedBy: 'Priya Nair', triedAt: null, activatedAt: null, activatedBy: null },
  isActive: false,
  ...more,
})

export const aTrial = (version: number, more: Partial<CodecTrial> = {}): CodecTrial => ({
  ...{ version, tried: 100, decoded: 95, warnings: 4, notDecoded: 1, slowest: 3.4 },
  compared: {
    version: 3,
    same: 82,
    added: [{ path: 'leak', count: 11 }],
    changed: [{ path: 'battery', count: 7, before: 36, after: 3.6 }],
    noLongerDecoded: 0,
  },
  messages: [
    {
      ...{ messageId: idOf(301), receivedAt: '2026-11-28T14:02:00Z', deviceKey: '70B3D57ED0061F4A' },
      ...{ result: 'Warning', reason: 'Unknown type 9', duration: 2 },
      ...{ before: { battery: 36 }, after: { battery: 3.6, leak: false } },
    },
  ],
  ...more,
})
