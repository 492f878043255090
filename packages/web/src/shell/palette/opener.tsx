import { useEffect, useRef, useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconSearch } from '../../icons/index.ts'
import { lazily } from '../../ui/lazily.tsx'
import classes from '../top-bar.module.css'

const Palette = lazily(async () => (await import('./palette.tsx')).Palette)

const label = 'Search devices, buildings and people'
const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** The search in the top bar, an icon on a phone. It and Ctrl K open the palette, which is loaded on demand. */
export function PaletteOpener() {
  const [open, setOpen] = useState(false)
  /** Text typed before the palette is loaded; undefined otherwise. */
  const early = useRef<string>(undefined)
  const takeEarly = () => {
    const typed = early.current ?? ''
    early.current = undefined
    return typed
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (early.current !== undefined && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
        early.current += event.key
        event.preventDefault()
        return
      }
      const isKey =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k'
      if (!isKey) return
      event.preventDefault()
      // An open dialog takes precedence.
      if (document.querySelector('[aria-modal="true"]')) return
      early.current = ''
      setOpen(true)
    }
    // Before a field or editor handles it.
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
  const shared = {
    'aria-haspopup': 'dialog' as const,
    'aria-keyshortcuts': 'Control+K Meta+K',
    onClick: () => setOpen(true),
    onMouseEnter: Palette.fetch,
    onFocus: Palette.fetch,
  }
  return (
    <>
      <button type="button" className={classes.search} {...shared}>
        <IconSearch size={18} aria-hidden />
        <span className={classes.searchWords}>{label}</span>
        <kbd aria-hidden>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <ActionIcon className={classes.searchIcon} size={40} aria-label={label} {...shared}>
        <IconSearch size={22} />
      </ActionIcon>
      {open && (
        <Palette
          takeEarly={takeEarly}
          onClose={() => {
            takeEarly()
            setOpen(false)
          }}
        />
      )}
    </>
  )
}
