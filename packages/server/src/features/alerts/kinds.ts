import { sql } from 'kysely'

/** The subjects of alerts: devices and properties. The history of each kind is in its own table. */
export const kinds = {
  device: { spells: sql.table('device_spell'), id: sql.ref('device_id'), about: sql.raw(`''`) },
  home: { spells: sql.table('home_spell'), id: sql.ref('property_id'), about: sql.ref('about') },
} as const
export type Kind = keyof typeof kinds
export const kindNames = ['device', 'home'] as const satisfies readonly Kind[]
