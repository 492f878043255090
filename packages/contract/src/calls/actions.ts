import type { Call } from '../call.ts'

export const getDeviceTags = { method: 'POST', path: '/api/GetDeviceTags', may: 'see device' } as const satisfies Call

export const addTagToDevice = { method: 'POST', path: '/api/AddTagToDevice', may: 'tag device' } as const satisfies Call

export const updateDeviceTags = {
  method: 'POST',
  path: '/api/UpdateDeviceTags',
  may: 'tag device',
} as const satisfies Call

export const removeTagFromDevice = {
  method: 'POST',
  path: '/api/RemoveTagFromDevice',
  may: 'tag device',
} as const satisfies Call

export const setDeviceAccessRightsTags = {
  method: 'POST',
  path: '/api/tenants/{tenant}/devices/{deviceId}/tags',
  may: 'set access rights tag',
} as const satisfies Call

export const emeredJoinNetwork = {
  method: 'POST',
  path: '/api/EmeredJoinNetwork',
  may: 'change network',
} as const satisfies Call

export const emeredLeaveNetwork = {
  method: 'POST',
  path: '/api/EmeredLeaveNetwork',
  may: 'change network',
} as const satisfies Call

export const repeaterJoinNetwork = {
  method: 'POST',
  path: '/api/RepeaterJoinNetwork',
  may: 'change network',
} as const satisfies Call

export const repeaterLeaveNetwork = {
  method: 'POST',
  path: '/api/RepeaterLeaveNetwork',
  may: 'change network',
} as const satisfies Call

export const boilerReset = { method: 'POST', path: '/api/BoilerReset', may: 'reset device' } as const satisfies Call

export const autofillReset = { method: 'POST', path: '/api/AutofillReset', may: 'reset device' } as const satisfies Call

export const resetDevice = { method: 'POST', path: '/api/ResetDevice', may: 'reset device' } as const satisfies Call

export const removeDevice = { method: 'POST', path: '/api/RemoveDevice', may: 'uninstall' } as const satisfies Call

export const installDevice = { method: 'POST', path: '/api/InstallDevice', may: 'install' } as const satisfies Call

export const bulkAddTags = { method: 'POST', path: '/api/BulkAddTags', may: 'tag device' } as const satisfies Call

export const bulkRemoveTags = { method: 'POST', path: '/api/BulkRemoveTags', may: 'tag device' } as const satisfies Call

export const bulkJoinNetwork = {
  method: 'POST',
  path: '/api/BulkJoinNetwork',
  may: 'change network',
} as const satisfies Call

export const bulkLeaveNetwork = {
  method: 'POST',
  path: '/api/BulkLeaveNetwork',
  may: 'change network',
} as const satisfies Call

export const bulkUninstall = { method: 'POST', path: '/api/BulkUninstall', may: 'uninstall' } as const satisfies Call

export const previewSelection = {
  method: 'POST',
  path: '/api/PreviewSelection',
  may: 'see device',
} as const satisfies Call

export const previewPropertySelection = {
  method: 'POST',
  path: '/api/PreviewPropertySelection',
  may: 'see properties',
} as const satisfies Call

export const startPropertyBulkAction = {
  method: 'POST',
  path: '/api/StartPropertyBulkAction',
  may: 'see properties',
} as const satisfies Call

export const getSelectionTags = {
  method: 'POST',
  path: '/api/GetSelectionTags',
  may: 'tag device',
} as const satisfies Call

export const startBulkAction = {
  method: 'POST',
  path: '/api/StartBulkAction',
  may: 'see device',
} as const satisfies Call

export const getBulkAction = { method: 'POST', path: '/api/GetBulkAction', may: 'see device' } as const satisfies Call

export const getBulkActionAnswers = {
  method: 'POST',
  path: '/api/GetBulkActionAnswers',
  may: 'see device',
} as const satisfies Call

export const getBulkActions = { method: 'POST', path: '/api/GetBulkActions', may: 'see device' } as const satisfies Call

export const retryBulkAction = {
  method: 'POST',
  path: '/api/RetryBulkAction',
  may: 'see device',
} as const satisfies Call

export const giveUpBulkAction = {
  method: 'POST',
  path: '/api/GiveUpBulkAction',
  may: 'see device',
} as const satisfies Call

export const undoBulkAction = { method: 'POST', path: '/api/UndoBulkAction', may: 'see device' } as const satisfies Call
