import './style/index.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { showTheme } from './state/theme.ts'

showTheme()
const root = document.getElementById('explorer')
// In a task of its own: reading the script is one already.
if (root !== null) setTimeout(() => createRoot(root).render(<App />))
