import type { Actor } from '../identity/actor.ts'
import type { GeneralAction } from '../rights/can.ts'
import { can } from '../rights/can.ts'

/**
 * The tabs of a client's settings, each with a URL below 'Settings'; `title` is the page title if it differs
 * (decisions, 'Words').
 */
export const settingsTabs = [
  { id: 'alerts', label: 'Alerts Settings', may: 'see settings' },
  { id: 'tags', label: 'Tags', may: 'see settings' },
  { id: 'accessRightsTags', label: 'Access rights tags', title: 'Access Rights Tags', may: 'see settings' },
  { id: 'luminaire', label: 'Standard Luminaires', may: 'see standard luminaires' },
  { id: 'residents', label: 'Resident app settings', may: 'see settings' },
  { id: 'apiKeys', label: 'API keys', may: 'manage api keys' },
  { id: 'webhooks', label: 'Webhooks', may: 'manage webhooks' },
  { id: 'connections', label: 'Connections', may: 'see connections' },
  { id: 'signIn', label: 'Sign-in', may: 'manage sign-in policy' },
  { id: 'awaabsLaw', label: "Awaab's Law", may: "manage Awaab's Law" },
] as const satisfies readonly { id: string; label: string; title?: string; may: GeneralAction }[]
export type SettingsTab = (typeof settingsTabs)[number]

/** The URL part of a tab; none for the first, which has the URL of the settings. */
export const addressOfTab = ({ id }: Pick<SettingsTab, 'id'>) => (id === settingsTabs[0].id ? undefined : id)

/** The tabs that the actor sees. */
export function settingsTabsFor(actor: Actor): SettingsTab[] {
  return settingsTabs.filter(({ may }) => can(actor, may))
}
