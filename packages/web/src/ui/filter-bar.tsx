import type { ReactNode } from 'react'
import { Button, TextInput } from '@mantine/core'
import { IconSearch } from '../icons/index.ts'
import { filterLength } from './table-place.ts'
import classes from './filter-bar.module.css'

interface FilterBarProps {
  /** The filtered subject, for example 'Users'. */
  label: string
  value: string
  onChange: (value: string) => void
  /** The searched fields, if not all. */
  placeholder?: string
  /** Additional fields of the filter. */
  children?: ReactNode
  /** Whether any filter is set, including additional fields; decides whether Clear is enabled. */
  isSet?: boolean
  onClear?: () => void
  /** Controls at the end of the line that are not part of the filter. */
  actions?: ReactNode
}

/** The filter bar above a table: a text that rows must contain, and `Clear`. */
export function FilterBar(props: FilterBarProps) {
  const {
    label,
    value,
    onChange,
    placeholder = 'Filter',
    children,
    isSet = value !== '',
    onClear = () => onChange(''),
    actions,
  } = props
  return (
    <div className={classes.bar}>
      <search className={classes.filter} aria-label={`Filter ${label.toLowerCase()}`}>
        <TextInput
          type="search"
          className={classes.text}
          leftSection={<IconSearch size={16} aria-hidden />}
          aria-label={placeholder === 'Filter' ? `Filter ${label.toLowerCase()}` : placeholder}
          placeholder={placeholder}
          maxLength={filterLength}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        {children}
        <Button variant="default" disabled={!isSet} onClick={onClear}>
          Clear
        </Button>
      </search>
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}
