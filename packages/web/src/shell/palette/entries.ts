import type { ReactNode } from 'react'
import { isFound } from '@caretaker/rules/texts/search-form.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'

/** An entry of the palette: a link or a command. */
export interface Entry {
  id: string
  icon: ReactNode
  label: string
  /** Dimmed after the label. */
  detail?: string | undefined
  /** Belongs to the entry before it. */
  beneath?: boolean
  /** At the end of the entry. */
  status?: DeviceStatus | undefined
  shortcut?: string | undefined
  /** The link; if absent, `run` is called. */
  href?: string
  run?: () => void
}

export interface Group {
  name: string
  /** The total number of matches, of which the best are shown. */
  found?: number
  entries: readonly Entry[]
}

/** The typed text: a leading '>' shows commands only. */
export interface Typed {
  text: string
  commandsOnly: boolean
}

/** The smallest number of letters for a server search. */
export const leastLetters = 2
/** Milliseconds after the last keystroke before the server is called. */
export const searchDelay = 120
/** The longest search text. */
export const searchLength = 100

export function typedIn(value: string): Typed {
  const commandsOnly = value.trimStart().startsWith('>')
  return { commandsOnly, text: value.replace(/^\s*>/, '').trim() }
}

/** Whether these texts contain every word of the text; true for an empty text. */
export const isMatch = (text: string, ...within: (string | undefined)[]): boolean => isFound(text, within)
