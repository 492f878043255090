import type { ReactNode } from 'react'
import { isFound } from '@caretaker/rules/texts/search-form.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'

/** A line of the palette: somewhere to go, or something to do. */
export interface Entry {
  id: string
  icon: ReactNode
  label: string
  /** Dimmed after the label. */
  detail?: string | undefined
  /** Belongs to the line before it. */
  beneath?: boolean
  /** At the end of the line. */
  status?: DeviceStatus | undefined
  shortcut?: string | undefined
  /** What it leads to; without it `run` is done here. */
  href?: string
  run?: () => void
}

export interface Group {
  name: string
  /** How many there are in all, of which the best are shown. */
  found?: number
  entries: readonly Entry[]
}

/** What is typed: a leading '>' leaves commands only. */
export interface Typed {
  text: string
  commandsOnly: boolean
}

/** Fewest letters that are looked for on the server. */
export const leastLetters = 2
/** Milliseconds after the last key before the server is asked. */
export const searchDelay = 120
/** Longest text that a search takes. */
export const searchLength = 100

export function typedIn(value: string): Typed {
  const commandsOnly = value.trimStart().startsWith('>')
  return { commandsOnly, text: value.replace(/^\s*>/, '').trim() }
}

/** Whether every word of the text is in these; all are where nothing is typed. */
export const isMatch = (text: string, ...within: (string | undefined)[]): boolean => isFound(text, within)
