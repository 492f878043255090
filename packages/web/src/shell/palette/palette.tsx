import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Button, CloseButton, Modal } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { IconCircleXFilled, IconRefresh, IconSearch } from '../../icons/index.ts'
import { useGoTo } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Entry } from './entries.ts'
import { searchDelay, searchLength, typedIn } from './entries.ts'
import { Results } from './results.tsx'
import { useFound, useGroups } from './use-groups.tsx'
import classes from './palette.module.css'

interface PaletteProps {
  /** Text typed before the field had the focus; returned once. */
  takeEarly: () => string
  onClose: () => void
}

/** A global search and all commands behind one shortcut. */
export function Palette({ takeEarly, onClose }: PaletteProps) {
  const onPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const [value, setValue] = useState('')
  const typed = typedIn(value)
  const [debounced] = useDebouncedValue(value, searchDelay)
  const { found, isFailed, isSearching, retry } = useFound(typedIn(debounced))
  const groups = useGroups(typed, found)
  const entries = groups.flatMap((group) => group.entries)
  const [activeId, setActiveId] = useState<string>()
  const active = entries.find(({ id }) => id === activeId) ?? entries[0]
  const list = useId()
  const optionId = (entry: Entry) => `${list}-${entry.id}`
  useEffect(() => {
    if (active) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  })
  const leave = useFocusBack(onClose)
  const goTo = useGoTo()
  const choose = (entry: Entry, inNewTab: boolean) => {
    if (entry.href && inNewTab) {
      window.open(entry.href, '_blank', 'noopener')
      return
    }
    leave()
    if (entry.href) goTo(entry.href)
    else entry.run?.()
  }
  const step = (by: number) => {
    if (!active) return
    const next = (entries.indexOf(active) + by + entries.length) % entries.length
    setActiveId(entries[next]?.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else if (event.key === 'Enter' && active) choose(active, event.ctrlKey || event.metaKey)
    else return
    event.preventDefault()
  }
  return (
    <Modal.Root
      opened
      onClose={leave}
      size={660}
      yOffset={120}
      fullScreen={onPhone}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      centered={false}
    >
      <Modal.Overlay backgroundOpacity={0.4} blur={1} />
      <Modal.Content
        aria-label="Search"
        classNames={{ content: classes.content }}
        radius={onPhone ? 0 : 'lg'}
        shadow="xl"
      >
        <div className={classes.head}>
          <IconSearch size={20} aria-hidden />
          <input
            className={classes.input}
            role="combobox"
            aria-label="Search devices, buildings and people"
            aria-expanded={entries.length > 0}
            aria-controls={entries.length > 0 ? list : undefined}
            aria-activedescendant={active && optionId(active)}
            aria-autocomplete="list"
            placeholder="Search devices, buildings and people"
            autoComplete="off"
            spellCheck={false}
            maxLength={searchLength}
            data-autofocus
            onFocus={() => setValue(takeEarly() + value)}
            value={value}
            onChange={(event) => {
              setValue(event.currentTarget.value)
              setActiveId(undefined)
            }}
            onKeyDown={onKeyDown}
          />
          {onPhone ? (
            <CloseButton aria-label="Close" size="lg" onClick={leave} />
          ) : (
            <kbd className={classes.key}>Esc</kbd>
          )}
        </div>
        <div className={classes.body}>
          <p className="visually-hidden" role="status">
            {isSearching ? '' : entries.length === 1 ? '1 result' : `${entries.length} results`}
          </p>
          {isFailed && <FailedLine onRetry={retry} />}
          {entries.length > 0 && (
            <Results
              id={list}
              groups={groups}
              text={typed.text}
              active={active}
              optionId={optionId}
              onPoint={(entry) => setActiveId(entry.id)}
              onChoose={choose}
            />
          )}
          {entries.length === 0 && !isFailed && !isSearching && debounced === value && (
            <Empty
              text={`Nothing found for ‘${typed.text}’`}
              hint="Search for a serial number, a name, an address or a tag."
            />
          )}
        </div>
        <footer className={classes.foot} aria-hidden>
          <span>
            <kbd className={classes.key}>↑</kbd>
            <kbd className={classes.key}>↓</kbd> choose
          </span>
          <span>
            <kbd className={classes.key}>↵</kbd> open
          </span>
          <span>
            <kbd className={classes.key}>Ctrl ↵</kbd> open in a new tab
          </span>
          <span className={classes.last}>
            <kbd className={classes.key}>&gt;</kbd> commands only
          </span>
        </footer>
      </Modal.Content>
    </Modal.Root>
  )
}

/** The server did not answer; pages and commands are still listed below. */
function FailedLine({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className={classes.failed}>
      <IconCircleXFilled size={18} aria-hidden />
      Failed to Load
      <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRetry}>
        Retry
      </Button>
    </div>
  )
}

/** Closes and returns the focus at once, because the chosen entry may move it or open a dialog that returns it. */
function useFocusBack(onClose: () => void): () => void {
  const [from] = useState(() => document.activeElement)
  const closed = useRef(false)
  return () => {
    if (closed.current) return
    closed.current = true
    onClose()
    if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true })
  }
}
