/** What do menus, notifications and native dialogs say? The few words that stand outside the window, in its five languages. */
import { interfaceLanguageSchema, type SpokenLanguage } from '../contract/app.ts';

/** English, Spanish, French, Swahili, Arabic. `{name}` is filled in. */
type Row = readonly [string, string, string, string, string];

const WORDS = {
  file: ['File', 'Archivo', 'Fichier', 'Faili', 'ملف'],
  'new-project': ['New project …', 'Proyecto nuevo …', 'Nouveau projet …', 'Mradi mpya …', 'مشروع جديد …'],
  'open-project': ['Open a project folder …', 'Abrir la carpeta de un proyecto …', 'Ouvrir le dossier d’un projet …', 'Fungua folda ya mradi …', 'افتح مجلد مشروع …'],
  recent: ['Recent projects', 'Proyectos recientes', 'Projets récents', 'Miradi ya karibuni', 'المشاريع الأخيرة'],
  'no-recent': ['None yet', 'Ninguno todavía', 'Aucun pour l’instant', 'Hakuna bado', 'لا شيء بعد'],
  quit: ['Quit', 'Salir', 'Quitter', 'Funga programu', 'إنهاء'],
  edit: ['Edit', 'Edición', 'Édition', 'Hariri', 'تحرير'],
  undo: ['Undo', 'Deshacer', 'Annuler', 'Tengua', 'تراجع'],
  redo: ['Redo', 'Rehacer', 'Rétablir', 'Rudia', 'إعادة'],
  cut: ['Cut', 'Cortar', 'Couper', 'Kata', 'قص'],
  copy: ['Copy', 'Copiar', 'Copier', 'Nakili', 'نسخ'],
  paste: ['Paste', 'Pegar', 'Coller', 'Bandika', 'لصق'],
  'select-all': ['Select all', 'Seleccionar todo', 'Tout sélectionner', 'Chagua yote', 'تحديد الكل'],
  find: ['Find on this page …', 'Buscar en esta página …', 'Rechercher dans cette page …', 'Tafuta kwenye ukurasa huu …', 'ابحث في هذه الصفحة …'],
  view: ['View', 'Ver', 'Affichage', 'Mwonekano', 'عرض'],
  'all-projects': ['All projects', 'Todos los proyectos', 'Tous les projets', 'Miradi yote', 'كل المشاريع'],
  activity: ['Activity', 'Actividad', 'Activité', 'Shughuli', 'النشاط'],
  'zoom-reset': ['Actual size', 'Tamaño real', 'Taille réelle', 'Ukubwa halisi', 'الحجم الأصلي'],
  'zoom-in': ['Larger', 'Más grande', 'Plus grand', 'Kubwa zaidi', 'أكبر'],
  'zoom-out': ['Smaller', 'Más pequeño', 'Plus petit', 'Ndogo zaidi', 'أصغر'],
  fullscreen: ['Full screen', 'Pantalla completa', 'Plein écran', 'Skrini nzima', 'ملء الشاشة'],
  window: ['Window', 'Ventana', 'Fenêtre', 'Dirisha', 'نافذة'],
  minimize: ['Minimise', 'Minimizar', 'Réduire', 'Punguza', 'تصغير'],
  close: ['Close', 'Cerrar', 'Fermer', 'Funga', 'إغلاق'],
  help: ['Help', 'Ayuda', 'Aide', 'Msaada', 'مساعدة'],
  log: ['Log', 'Registro', 'Journal', 'Kumbukumbu', 'السجل'],
  'copy-diagnostics': ['Copy diagnostics', 'Copiar el diagnóstico', 'Copier le diagnostic', 'Nakili taarifa za uchunguzi', 'نسخ معلومات التشخيص'],
  about: ['About Isogloss', 'Acerca de Isogloss', 'À propos d’Isogloss', 'Kuhusu Isogloss', 'عن Isogloss'],
  'train-finished': ['Training is finished', 'El entrenamiento ha terminado', 'L’entraînement est terminé', 'Mafunzo yamekamilika', 'انتهى التدريب'],
  'train-failed': ['Training stopped', 'El entrenamiento se detuvo', 'L’entraînement s’est arrêté', 'Mafunzo yamesimama', 'توقف التدريب'],
  'work-finished': ['Isogloss has finished', 'Isogloss ha terminado', 'Isogloss a terminé', 'Isogloss imemaliza', 'انتهى Isogloss من العمل'],
  'work-failed': ['Isogloss could not finish', 'Isogloss no pudo terminar', 'Isogloss n’a pas pu terminer', 'Isogloss haikuweza kumaliza', 'لم يستطع Isogloss إنهاء العمل'],
  'see-project': ['{name}: press to see the result.', '{name}: pulsa para ver el resultado.', '{name} : cliquez pour voir le résultat.', '{name}: bonyeza kuona matokeo.', '{name}: اضغط لرؤية النتيجة.'],
  'see-reason': ['{name}: press to see why and what to do.', '{name}: pulsa para ver por qué y qué hacer.', '{name} : cliquez pour voir pourquoi et que faire.', '{name}: bonyeza kuona sababu na la kufanya.', '{name}: اضغط لمعرفة السبب وما العمل.'],
  'window-gone': ['The window closed itself several times', 'La ventana se cerró sola varias veces', 'La fenêtre s’est fermée d’elle-même plusieurs fois', 'Dirisha limejifunga lenyewe mara kadhaa', 'أغلقت النافذة نفسها عدة مرات'],
  'window-gone-why': [
    'Nothing you saved is lost, and what runs goes on. Open the window again; if it closes again, start Isogloss anew.',
    'No se ha perdido nada de lo guardado, y lo que está en marcha continúa. Abre la ventana otra vez; si vuelve a cerrarse, inicia Isogloss de nuevo.',
    'Rien de ce qui est enregistré n’est perdu, et ce qui tourne continue. Rouvrez la fenêtre ; si elle se referme, relancez Isogloss.',
    'Hakuna kilichohifadhiwa kilichopotea, na kinachoendelea kinaendelea. Fungua dirisha tena; likijifunga tena, anzisha Isogloss upya.',
    'لم يضع شيء مما حفظته، وما يعمل مستمر. افتح النافذة من جديد؛ فإن أُغلقت ثانية فشغّل Isogloss من جديد.',
  ],
  'open-again': ['Open again', 'Abrir otra vez', 'Rouvrir', 'Fungua tena', 'افتح من جديد'],
  'start-anew': ['Start Isogloss anew', 'Iniciar Isogloss de nuevo', 'Relancer Isogloss', 'Anzisha Isogloss upya', 'شغّل Isogloss من جديد'],
} as const satisfies Readonly<Record<string, Row>>;

export type DesktopWord = keyof typeof WORDS;
export const DESKTOP_WORDS: Readonly<Record<DesktopWord, Row>> = WORDS;

const COLUMNS: Readonly<Record<SpokenLanguage, number>> = { en: 0, es: 1, fr: 2, sw: 3, ar: 4 };

export type Say = (word: DesktopWord, values?: Readonly<Record<string, string>>) => string;

/** The words of one language. */
export function wordsOf(language: SpokenLanguage): Say {
  return (word, values = {}) => (DESKTOP_WORDS[word][COLUMNS[language]] ?? DESKTOP_WORDS[word][0]).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The first of these that the interface speaks; English otherwise. */
export function spokenLanguage(wishes: readonly (string | null)[]): SpokenLanguage {
  for (const wish of wishes) {
    const parsed = interfaceLanguageSchema.safeParse(wish?.split('-')[0]);
    if (parsed.success) return parsed.data;
  }
  return 'en';
}
