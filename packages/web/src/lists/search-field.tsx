import { useState } from 'react'
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '../icons/index.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import classes from './list.module.css'

/** Milliseconds after the last keystroke before the search starts. */
const pause = 250

interface SearchFieldProps {
  value: string
  onChange: (search: string) => void
}

/** Searches the listing while typing. */
export function SearchField({ value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  // Typed text is ahead of the address; an address changed in another way, such as going back, is ahead of the text.
  const [known, setKnown] = useState({ value, sent: value })
  if (known.value !== value) {
    setKnown({ value, sent: value })
    if (value !== known.sent) setText(value)
  }
  const send = useDebouncedCallback((search: string) => {
    setKnown((now) => ({ ...now, sent: search }))
    onChange(search)
  }, pause)
  return (
    <TextInput
      type="search"
      className={classes.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      aria-label="Search this view"
      placeholder="Search this view"
      autoComplete="off"
      spellCheck={false}
      maxLength={viewLimits.text}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        send(event.currentTarget.value.trim())
      }}
    />
  )
}
