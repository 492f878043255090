import { pathTo } from '@caretaker/rules/links/places.ts'

export const connectionsPath = (tenant: string) => pathTo(tenant, 'Settings', 'connections')
export const newSensorsPath = (tenant: string) => `${connectionsPath(tenant)}/newSensors`
export const modelsPath = (tenant: string) => `${connectionsPath(tenant)}/models`
export const modelPath = (tenant: string, modelId: string, tab?: string) =>
  `${modelsPath(tenant)}/${modelId}${tab ? `/${tab}` : ''}`
export const messagesPath = (tenant: string, connectionId: string) =>
  `${connectionsPath(tenant)}/messages/${connectionId}`
