import type { Call } from '../call.ts'

const connections = '/api/tenants/{tenant}/connections'
const one = `${connections}/{connectionId}` as const
const sensors = '/api/tenants/{tenant}/new-sensors'
const models = '/api/tenants/{tenant}/sensor-models'
const model = `${models}/{modelId}` as const
const see = 'see connections'
const manage = 'manage connections'

export const sendUplink = {
  method: 'POST',
  path: '/api/connections/{connectionId}/uplink',
  may: 'anyone',
} as const satisfies Call

export const getConnections = { method: 'GET', path: connections, may: see } as const satisfies Call

export const getConnection = { method: 'GET', path: one, may: see } as const satisfies Call

export const addConnection = { method: 'POST', path: connections, may: manage } as const satisfies Call

export const updateConnection = { method: 'PUT', path: one, may: manage } as const satisfies Call

export const pauseConnection = { method: 'POST', path: `${one}/pause`, may: manage } as const satisfies Call

export const resumeConnection = { method: 'POST', path: `${one}/resume`, may: manage } as const satisfies Call

export const replaceConnectionKey = { method: 'POST', path: `${one}/key`, may: manage } as const satisfies Call

export const deleteConnection = { method: 'DELETE', path: one, may: manage } as const satisfies Call

export const getConnectionTest = { method: 'GET', path: `${one}/test`, may: see } as const satisfies Call

export const getConnectionMessages = { method: 'GET', path: `${one}/messages`, may: see } as const satisfies Call

export const getSensorMessages = {
  method: 'GET',
  path: '/api/tenants/{tenant}/devices/{deviceId}/sensor-messages',
  may: 'see device',
} as const satisfies Call

const setPoint = '/api/tenants/{tenant}/devices/{deviceId}/set-point'

export const getSetPoint = { method: 'GET', path: setPoint, may: 'see device' } as const satisfies Call

export const changeSetPoint = { method: 'PUT', path: setPoint, may: 'change set point' } as const satisfies Call

export const getNewSensors = { method: 'GET', path: sensors, may: see } as const satisfies Call

export const addSensors = { method: 'POST', path: `${sensors}/add`, may: manage } as const satisfies Call

export const undoAddSensors = { method: 'POST', path: `${sensors}/undo-add`, may: manage } as const satisfies Call

export const ignoreSensors = { method: 'POST', path: `${sensors}/ignore`, may: manage } as const satisfies Call

export const restoreSensors = { method: 'POST', path: `${sensors}/restore`, may: manage } as const satisfies Call

export const chooseSensorModel = {
  method: 'POST',
  path: `${sensors}/choose-model`,
  may: manage,
} as const satisfies Call

export const importSensors = { method: 'POST', path: `${sensors}/import`, may: manage } as const satisfies Call

export const getModelSensors = { method: 'GET', path: `${model}/sensors`, may: see } as const satisfies Call

export const getSensorModels = { method: 'GET', path: models, may: see } as const satisfies Call

export const getSensorMapping = { method: 'GET', path: `${model}/mapping`, may: see } as const satisfies Call

export const saveSensorMapping = { method: 'PUT', path: `${model}/mapping`, may: manage } as const satisfies Call

export const restoreMappingSuggestions = {
  method: 'POST',
  path: `${model}/mapping/restore-suggestions`,
  may: manage,
} as const satisfies Call

export const getMappingVersions = { method: 'GET', path: `${model}/mapping/versions`, may: see } as const satisfies Call

export const restoreMappingVersion = {
  method: 'POST',
  path: `${model}/mapping/versions/{version}/restore`,
  may: manage,
} as const satisfies Call

export const getCodecVersions = { method: 'GET', path: `${model}/codecs`, may: manage } as const satisfies Call

export const saveCodecVersion = { method: 'POST', path: `${model}/codecs`, may: manage } as const satisfies Call

export const tryCodecVersion = {
  method: 'POST',
  path: `${model}/codecs/{version}/try`,
  may: manage,
} as const satisfies Call

export const activateCodecVersion = {
  method: 'POST',
  path: `${model}/codecs/{version}/activate`,
  may: manage,
} as const satisfies Call

export const rollBackCodec = { method: 'POST', path: `${model}/codecs/roll-back`, may: manage } as const satisfies Call

export const decodeMessagesAgain = {
  method: 'POST',
  path: `${model}/decode-again`,
  may: manage,
} as const satisfies Call
