import type { ReactNode } from 'react'
import { Button, TextInput } from '@mantine/core'
import { IconSearch } from '../icons/index.ts'
import { filterLength } from './table-place.ts'
import classes from './filter-bar.module.css'

interface FilterBarProps {
  /** What is filtered, e.g. 'Users'. */
  label: string
  value: string
  onChange: (value: string) => void
  /** What the text is looked for in, when that is not everything. */
  placeholder?: string
  /** Further fields of the filter. */
  children?: ReactNode
  /** Whether something of the filter is set, the further fields included; decides whether there is anything to clear. */
  isSet?: boolean
  onClear?: () => void
  /** Controls at the end of the line, which are no part of the filter. */
  actions?: ReactNode
}

/** The filter bar above a table: a text that a row must contain, and `Clear`, which shows all rows again. */
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
