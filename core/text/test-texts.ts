/** Small texts of many scripts that the tests of this folder train on; written for Isogloss. */

const sentences: readonly string[] = [
  'The women carried water from the river before the sun rose over the hills.',
  'Wanawake walibeba maji kutoka mtoni kabla ya jua kuchomoza juu ya vilima.',
  'Mtoto anasoma kitabu; watoto wanasoma vitabu vyao shuleni kila siku.',
  "Don't forget the farmer's seeds: 25 bags, 1,300 shillings, and 3 o'clock!",
  'Las mujeres llevaban agua del río antes de que saliera el sol sobre las colinas.',
  'महिलाएँ सूरज निकलने से पहले नदी से पानी लाती थीं। लड़का लड़के लड़की पढ़ते हैं।',
  'ผู้หญิงตักน้ำจากแม่น้ำก่อนพระอาทิตย์ขึ้นเหนือเนินเขาทุกวันทุกวันที่หมู่บ้าน',
  'حملت النساء الماء من النهر قبل شروق الشمس فوق التلال في كل يوم.',
  'הנשים נשאו מים מן הנהר לפני זריחת השמש מעל הגבעות.',
  'Οι γυναίκες κουβαλούσαν νερό από το ποτάμι πριν ανατείλει ο ήλιος.',
  'Женщины носили воду из реки до восхода солнца над холмами.',
  'Àwọn obìnrin gbé omi láti odò kí oòrùn tó yọ lórí àwọn òkè.',
  'ߡߎߛߏ ߟߎ߬ ߣߊ߬ ߘߊ߫ ߖߌ߬ ߘߌ߫ ߞߊ߬ ߓߐ߫ ߓߊ߰ ߟߊ߫',
  'ሴቶቹ ፀሐይ ከመውጣቷ በፊት ከወንዙ ውሃ ይቀዱ ነበር።',
  '女人们在太阳升起之前从河里打水。女の人たちは川から水を運んだ。',
];

/** Every sentence `rounds` times over, so that each word is seen several times. */
export function smallCorpus(rounds = 3): { readonly text: string; readonly weight: number }[] {
  const texts: { text: string; weight: number }[] = [];
  for (let round = 0; round < rounds; round += 1) for (const text of sentences) texts.push({ text, weight: 1 });
  return texts;
}

export const smallSentences = sentences;
